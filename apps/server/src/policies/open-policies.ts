import { secondMs } from '@ringfence/contract';
import type { Platform } from '../platform/open-platform.ts';
import { startPeriodicJob } from '../platform/periodic-job.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { endEmergencies, type EndDeps } from './emergency.ts';
import { PolicyWorkers } from './policy-workers.ts';

/** How late an emergency ends at most. Ends are hours apart. */
const lookMs = 10 * secondMs;

interface Context extends Omit<EndDeps, 'work' | 'logger'>, Pick<Platform, 'logger' | 'stages'> {
  readonly registry: Pick<Tenancy['registry'], 'refresh'>;
}

/** Starts the job that ends emergencies of policies: those that are over already at once. */
export function openPolicies(context: Context): void {
  const { registry, logger, stages } = context;
  const stop = new AbortController();
  const workers = new PolicyWorkers({ logger });
  const work = workers.for({ by: 'end of emergencies', signal: stop.signal });
  const look = async (): Promise<void> => {
    try {
      if ((await endEmergencies({ ...context, work })) > 0) await registry.refresh();
    } catch (error) {
      logger.warn({ err: error }, 'could not look for policies whose emergency is over; will retry');
    }
  };
  // At once: some may have been over before this start.
  const stopLooking = startPeriodicJob(look, { everyMs: lookMs, isAtOnce: true });
  stages.started('ends of emergencies', async () => {
    stop.abort();
    await stopLooking();
    await workers.stop();
  });
}
