import { dayMs } from '@ringfence/contract';
import type { Configuration } from '../../config/configuration.ts';
import { filesInForce } from '../../ingest/networks/intel-folder.ts';
import { networkData } from '../../ingest/networks/network-source.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { counted } from '../print.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** A few percent of the networks change their operator in half a year. */
const databaseAgeMsAdvised = 180 * dayMs;
/** Tor and VPN exits change daily. */
const listAgeMsAdvised = 30 * dayMs;
/** The table is part of the release; a release older than this should be replaced anyway. */
const shippedAgeMsAdvised = 365 * dayMs;

/** Checks that the network data can be read, and how old they are. */
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
      ages.push({ name: 'the built-in table', ageMs, advisedMs: shippedAgeMsAdvised });
    }
    const detail = ages
      .map(({ name, ageMs }) => `${name}, ${counted(Math.floor(ageMs / dayMs), 'day')} old`)
      .join('; ');
    const old = ages.filter(({ ageMs, advisedMs }) => ageMs > advisedMs).map(({ name }) => name);
    if (old.length === 0) return good('network data', detail);
    const mend = `Install newer data for ${old.join(', ')}: ringfence intel update FILE. Sources: docs/guides/network.md.`;
    return unwise('network data', detail, mend);
  } catch (error) {
    if (error instanceof OperatorError) return bad('network data', error.message, error.mend);
    return bad('network data', String(error), 'Install the files again: ringfence intel update FILE');
  }
}
