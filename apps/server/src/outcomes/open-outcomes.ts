import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { OutcomeMatcher } from './outcome-matcher.ts';

/** Starts the matcher, which finds the events of reported outcomes. */
export function openOutcomes({ pool, log, subjects, registry, now, logger, stages }: Platform & Tenancy): void {
  const matcher = new OutcomeMatcher({
    pool,
    log,
    subjects,
    workspaces: () => registry.all(),
    notifications: log.notifications,
    now,
    onError: (error) => logger.warn({ err: error }, 'could not match reported outcomes with their events'),
  });
  matcher.start();
  stages.started('outcome matcher', () => matcher.stop());
}
