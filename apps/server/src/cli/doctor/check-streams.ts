import { minuteMs } from '@ringfence/contract';
import { readStreamStates, type StreamState } from '../../platform/observability/stream-state.ts';
import { withoutAudit } from '../../streams/stream-settings.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { OfCell } from '../../platform/database/cell.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

const lateMsMax = 15 * minuteMs;

/** How far the streams of the file have come. */
export async function checkStreams(
  { pool, cell, configuration }: OfCell & { readonly configuration: Pick<Configuration, 'streams'> },
  nowMs: number,
): Promise<readonly Finding[]> {
  const streams = cell === undefined ? configuration.streams : withoutAudit(configuration.streams);
  if (streams.length === 0) return [];
  const states = new Map((await readStreamStates(pool, nowMs)).map((state) => [state.name, state]));
  return streams.map(({ name }) => findingOf(name, states.get(name)));
}

function findingOf(name: string, state: StreamState | undefined): Finding {
  if (state === undefined || !state.isRunning) {
    const mend = 'Check that a process with this file, and without --door-only, is running.';
    return unwise('streams', `no process sends the stream ${name}`, mend);
  }
  const { lagMs, error, lostAtMs, target } = state;
  if (error !== undefined) {
    const mend = 'Mend the receiver, or the stream in the file. Nothing is lost: what waits leaves then.';
    return bad('streams', `the stream ${name} is not taken (${target}): ${error}`, mend);
  }
  if (lagMs > lateMsMax) {
    const mend = 'The receiver is slower than the events that come. Check its load, and the log of the process.';
    return unwise('streams', `the stream ${name} is ${Math.floor(lagMs / minuteMs)} minutes late`, mend);
  }
  if (lostAtMs !== undefined) {
    const mend = `The receiver failed for longer than a week beyond the retention period. To forget this: ringfence streams rewind ${name} --to start.`;
    return unwise('streams', `the stream ${name} lost data at ${new Date(lostAtMs).toISOString()}`, mend);
  }
  return good('streams', `${name} leaves to ${target}`);
}
