import { dayMs } from '@ringfence/contract';
import type { Configuration } from '../../config/configuration.ts';
import { filesInForce } from '../../ingest/networks/intel-folder.ts';
import { networkData } from '../../ingest/networks/network-source.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { counted } from '../print.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** Networks change hands, a few of a hundred in half a year. */
const databaseAgeMsAdvised = 180 * dayMs;
/** Exits of Tor and VPNs come and go daily. */
const listAgeMsAdvised = 30 * dayMs;
/** The table comes with the product: a release that is older is to be replaced anyway. */
const shippedAgeMsAdvised = 365 * dayMs;

/** Whether the data that addresses are looked up in can be used, and how old they are. */
export function checkNetworks({ home }: Configuration, nowMs: number): Finding {
  try {
    const { head } = networkData(home).world;
    const files = filesInForce(home);
    const ages = files.map(({ name, kind, dataAtMs }) => ({
      name,
      ageMs: nowMs - dataAtMs,
      advisedMs: kind === 'database' ? databaseAgeMsAdvised : listAgeMsAdvised,
    }));
    if (!files.some(({ kind }) => kind === 'database')) {
      const ageMs = nowMs - Date.parse(head.date);
      ages.push({ name: 'the table that ships', ageMs, advisedMs: shippedAgeMsAdvised });
    }
    const detail = ages
      .map(({ name, ageMs }) => `${name}, ${counted(Math.floor(ageMs / dayMs), 'day')} old`)
      .join('; ');
    const old = ages.filter(({ ageMs, advisedMs }) => ageMs > advisedMs).map(({ name }) => name);
    if (old.length === 0) return good('data of networks', detail);
    const mend = `Bring newer data in place of ${old.join(', ')}: ringfence intel update FILE. docs/guides/network.md says where they come from.`;
    return unwise('data of networks', detail, mend);
  } catch (error) {
    if (error instanceof OperatorError) return bad('data of networks', error.message, error.mend);
    return bad('data of networks', String(error), 'Give the files again: ringfence intel update FILE');
  }
}
