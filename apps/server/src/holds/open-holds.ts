import { secondMs } from '@ringfence/contract';
import type { Platform } from '../platform/open-platform.ts';
import { startPeriodicJob } from '../platform/periodic-job.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { sendDueDecisions } from './decide-hold.ts';

/** How late a decision is sent at most after it can no longer be undone. */
const lookMs = secondMs;

/** Starts the job that sends what people decided about held payments. */
export function openHolds({ pool, master, log, registry, logger, now, stages }: Platform & Tenancy): void {
  const look = async (): Promise<void> => {
    try {
      await sendDueDecisions({ pool, master, log }, (id) => registry.byId(id), now());
    } catch (error) {
      logger.warn({ err: error }, 'decisions about held payments could not be sent; will retry');
    }
  };
  stages.started('decisions about holds', startPeriodicJob(look, { everyMs: lookMs }));
}
