import type { LogClock, PostgresLog } from '@ringfence/log';
import type { HostLogger } from './host-deps.ts';

const lookEveryMs = 1_000;
/** Clocks of processes that share a database may differ by so much without harm. */
const apartMsMax = 10_000;

/**
 * Keeps a clock from being behind the log, in which this process before a restart, or another one, may have stamped later
 * times. Says when the machine's clock is far from it, and when it no longer is.
 *
 * @returns what goes on looking, until it is cleared
 * @throws when the database does not answer the first look; later ones come again
 */
export async function followLog(
  log: Pick<PostgresLog, 'latestTimeMs'>,
  clock: LogClock,
  logger?: Pick<HostLogger, 'warn' | 'info'>,
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
  'the clock of this machine was set forward: the time of the log goes on a tenth faster until it agrees; a restart takes the clock as it is';
const behindText =
  'the clock of this machine is behind the last record of the log: the time of the log goes on a tenth slower until it agrees';
