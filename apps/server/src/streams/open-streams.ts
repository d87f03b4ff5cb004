import { Worker } from 'node:worker_threads';
import type { Platform } from '../platform/open-platform.ts';
import type { LoggedLine } from '../platform/observability/thread-logger.ts';
import type { DatabaseConnection } from '../platform/database/event-log.ts';
import type { MasterKeySource } from '../platform/secrets/master-keys.ts';
import type { StreamSettings } from './stream-settings.ts';

/** What the thread of the streams is started with. */
export interface StreamThreadSettings {
  readonly database: DatabaseConnection;
  readonly master: MasterKeySource;
  readonly streams: readonly StreamSettings[];
}

/** A thread that stops sends what it has begun; then it is terminated. */
const stopMsMax = 5_000;

/**
 * Starts the thread that sends all streams, if there are any. A slow receiver costs neither decisions nor the console
 * anything but the lag of its stream.
 */
export function openStreams({
  database,
  master,
  logger,
  stages,
  streams,
  onCrash,
}: Platform & {
  readonly streams: readonly StreamSettings[];
  readonly onCrash: (error: Error) => void;
}): void {
  if (streams.length === 0) return;
  const settings: StreamThreadSettings = { database: database.connection, master: master.source, streams };
  const thread = new Worker(new URL('../stream-thread.ts', import.meta.url), { name: 'streams', workerData: settings });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  thread.on('message', ({ level, fields, message }: LoggedLine) => logger[level](fields, message));
  thread.on('error', onCrash);
  stages.started(
    'streams',
    async () => {
      thread.postMessage('stop');
      const late = setTimeout(() => void thread.terminate(), stopMsMax);
      await ended;
      clearTimeout(late);
    },
    () => void thread.terminate(),
  );
}
