import { Worker } from 'node:worker_threads';
import { InvariantError } from '@ringfence/contract';
import type { FromWorker } from '../messages.ts';
import type { FromRound, RoundSettings, StopRound } from './retention-messages.ts';
import type { RoundEnd } from './rounds.ts';

/**
 * Runs one round of retention in a separate thread, which ends with it: a round steps old records for seconds, and
 * decisions must not wait for that. Between rounds, retention needs no memory.
 */
export function roundInThread(
  { settings, passOn }: { readonly settings: RoundSettings; readonly passOn: (message: FromWorker) => void },
  stop: AbortSignal,
): Promise<RoundEnd> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('../../retention-thread.ts', import.meta.url), {
      name: 'retention',
      workerData: settings,
    });
    const end = (): void => thread.postMessage({ kind: 'stop' } satisfies StopRound);
    stop.addEventListener('abort', end, { once: true });
    let ended: RoundEnd | undefined;
    thread.on('message', (message: FromRound) => {
      if (message.kind === 'ended') ended = message.end;
      else passOn(message);
    });
    thread.on('error', reject);
    thread.on('exit', (code) => {
      stop.removeEventListener('abort', end);
      if (ended === undefined) reject(new InvariantError(`the retention thread ended with code ${code}`));
      else resolve(ended);
    });
  });
}
