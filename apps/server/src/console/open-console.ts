import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { openAlerts } from './alerts/open-alerts.ts';
import { ConsoleFeed } from './feed/console-feed.ts';

/** Starts the feed, which writes what the console shows behind the deciding thread. */
export function openConsole({ pool, log, subjects, registry, now, logger, stages }: Platform & Tenancy): void {
  const feed = new ConsoleFeed({
    pool,
    log,
    subjects,
    workspaces: () => registry.all(),
    now,
    onDecided: openAlerts,
    onError: (error) => logger.warn({ err: error }, 'the console feed could not follow the engine'),
  });
  feed.start();
  stages.started('console feed', () => feed.stop());
}
