import { secondMs } from '@ringfence/contract';
import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { sendDueDecisions } from './decide-hold.ts';

/** How late a decision is sent at most after it can no longer be undone. */
const lookMs = secondMs;

/** Starts the job that sends what people decided about held payments. */
export function openHolds({ pool, master, log, registry, logger, now, stages }: Platform & Tenancy): void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      await sendDueDecisions({ pool, master, log }, (id) => registry.byId(id), now());
    } catch (error) {
      logger.warn({ err: error }, 'decisions about held payments could not be sent; will retry');
    }
    if (!isStopped) wait();
  };
  const wait = (): void => {
    timer = setTimeout(() => {
      running = look();
    }, lookMs);
  };
  wait();
  stages.started('decisions about holds', async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  });
}
