import type { ManagementDeps } from '../../../src/api/server/management-deps.ts';
import type { Pool } from 'pg';
import { openAlerts } from '../../../src/console/alerts/open-alerts.ts';
import { ConsoleFeed } from '../../../src/console/feed/console-feed.ts';
import type { Installation } from '../../support/installation.ts';
import { managementKit, type ManagementKit } from '../../api/support/management-kit.ts';

/** The management API with a deciding engine and the feed of the console. */
export interface ConsoleKit extends ManagementKit {
  readonly feed: ConsoleFeed;
  /** Resolves when all sent events are decided and fed to the console. */
  fed(): Promise<void>;
}

/** @param home another installation than a new one */
export async function consoleKit(home?: Installation, change: Partial<ManagementDeps> = {}): Promise<ConsoleKit> {
  const kit = await managementKit(change, home);
  const host = kit.startHost();
  await host.ready;
  const feed = feedOf(kit, kit.pool);
  return {
    ...kit,
    feed,
    fed: async () => {
      await kit.settled();
      await feed.round();
    },
  };
}

/** The feed of the console, on connections of this pool. */
export function feedOf({ log, subjects, deps }: ManagementKit, pool: Pool): ConsoleFeed {
  return new ConsoleFeed({
    pool,
    log,
    subjects,
    workspaces: () => deps.registry.all(),
    now: deps.now,
    onDecided: openAlerts,
    onError: (error) => {
      throw error;
    },
  });
}
