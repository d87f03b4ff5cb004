import { minuteMs } from '@ringfence/contract';
import type { Platform } from '../platform/open-platform.ts';
import { startPeriodicJob } from '../platform/periodic-job.ts';
import { PolicyWorkers } from '../policies/policy-workers.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Backtests } from './backtests/backtests.ts';
import { retrainDue } from './training/retrain.ts';

/** How late a weekly training begins, if no other work on history runs. */
const lookMs = 10 * minuteMs;

interface Context extends Pick<Platform, 'pool' | 'logger' | 'stages'>, Pick<Tenancy, 'registry'> {
  readonly backtests: Backtests;
}

/** Starts the job that trains models again whose policy asks for it. */
export function openRetrain({ pool, registry, backtests, logger, stages }: Context): void {
  const stop = new AbortController();
  const workers = new PolicyWorkers({ logger });
  const work = workers.for({ by: 'weekly trainings', signal: stop.signal });
  const look = async (): Promise<void> => {
    try {
      await retrainDue({ pool, backtests, work }, registry.all());
    } catch (error) {
      logger.warn({ err: error }, 'could not look for models to train again; will retry');
    }
  };
  const stopLooking = startPeriodicJob(look, { everyMs: lookMs });
  stages.started('weekly trainings', async () => {
    stop.abort();
    await stopLooking();
    await workers.stop();
  });
}
