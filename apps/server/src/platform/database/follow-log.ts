import type { LogClock, PostgresLog } from '@ringfence/log';

interface FollowLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

const lookEveryMs = 1_000;
/** Clocks of processes that share a database may differ by this much without harm. */
const apartMsMax = 10_000;

/**
 * Keeps a clock from running behind the log, in which another process, or this one before a restart, may have stamped
 * later times. Logs when the machine's clock drifts far from it, and when both agree again.
 *
 * @returns the polling timer; clear it to stop
 * @throws when the database does not answer the first query; later failures are ignored
 */
export async function followLog(
  log: Pick<PostgresLog, 'latestTimeMs'>,
  clock: LogClock,
  logger?: FollowLogger,
): Promise<NodeJS.Timeout> {
  let areApart = false;
  const look = async (): Promise<void> => {
    clock.wake();
    clock.atLeast(await log.latestTimeMs());
    const aheadMs = clock.machineAheadMs;
    if (Math.abs(aheadMs) > apartMsMax === areApart) return;
    areApart = !areApart;
    if (areApart)
      logger?.warn({ seconds: Math.round(Math.abs(aheadMs) / 1_000) }, aheadMs > 0 ? aheadText : behindText);
    else logger?.info({}, 'the clock of this machine and the time of the log agree again');
  };
  await look();
  return setInterval(() => void look().catch(() => {}), lookEveryMs);
}

const aheadText =
  'the clock of this machine was set forward: the time of the log runs a tenth faster until it agrees; a restart adopts the clock of the machine';
const behindText =
  'the clock of this machine is behind the last record of the log: the time of the log runs a tenth slower until it agrees';
