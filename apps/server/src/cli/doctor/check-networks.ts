import { dayMs } from '@ringfence/contract';
import type { Configuration } from '../../config/configuration.ts';
import { filesInForce } from '../../networks/intel-folder.ts';
import { networkData, oldestDataAtMs } from '../../networks/network-source.ts';
import { OperatorError } from '../../operations/operator-error.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** Networks change hands, a few of a hundred in half a year. */
const ageMsAdvised = 180 * dayMs;

/** Whether the data that addresses are looked up in can be used, and how old they are. */
export function checkNetworks({ home }: Configuration, nowMs: number): Finding {
  try {
    const { world } = networkData(home);
    const files = filesInForce(home);
    const days = Math.floor((nowMs - oldestDataAtMs(world, files)) / dayMs);
    const names = files.map(({ name }) => name).join(', ') || 'those that ship with this release';
    const detail = `${names}; the oldest are ${days} days old`;
    if (days * dayMs <= ageMsAdvised) return good('data of networks', detail);
    return unwise('data of networks', detail, 'Bring newer files: ringfence intel update FILE');
  } catch (error) {
    if (error instanceof OperatorError) return bad('data of networks', error.message, error.mend);
    return bad('data of networks', String(error), 'Give the files again: ringfence intel update FILE');
  }
}
