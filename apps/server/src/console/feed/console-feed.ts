import type { Pool } from 'pg';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { removeEndedItems } from '../../policies/directives/list-item-rows.ts';
import { alertKeptHolds, workspacesWithKept } from '../alerts/alert-kept-holds.ts';
import { feedActions, workspacesWithEnds } from '../live/feed-live.ts';
import { removeLive } from '../live/live-log.ts';
import { feedBatch, type FeedDeps } from './feed-batch.ts';
import { removeFed } from './remove-fed.ts';

/** How far the console may normally be behind the engine. */
const lookEveryMs = 300;
/** Batches of one workspace before the others have their turn. */
const batchesMax = 20;
/** Changes that are not added yet are counted one by one. */
const addEveryMs = 5_000;
const removeEveryMs = 900_000;

export interface ConsoleFeedOptions extends FeedDeps {
  readonly workspaces: () => readonly Workspace[];
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * Follows the engine and writes the console's search index and counts. Several processes may run it: a batch belongs to
 * the process that locks the position.
 */
export class ConsoleFeed {
  readonly #options: ConsoleFeedOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #addedAtMs = 0;
  #removedAtMs = 0;

  constructor(options: ConsoleFeedOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.round()
        .catch((error: unknown) => this.#options.onError(error))
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    }, lookEveryMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Feeds every workspace in which the engine is ahead, until none is. */
  async round(): Promise<void> {
    const { pool, workspaces, now } = this.#options;
    for (let isMore = true; isMore && !this.#isStopped;) {
      isMore = false;
      const ahead = await workspacesAhead(pool);
      for (const workspace of workspaces().filter(({ id }) => ahead.has(id))) {
        isMore = (await this.#feed(workspace)) || isMore;
      }
    }
    const kept = await workspacesWithKept(pool);
    for (const workspace of workspaces().filter(({ id }) => kept.has(id)))
      await alertKeptHolds(this.#options, workspace);
    for (const id of await workspacesWithEnds(pool)) await inTransaction(pool, (client) => feedActions(client, id));
    if (now() - this.#addedAtMs >= addEveryMs) {
      this.#addedAtMs = now();
      await addActions(pool);
    }
    if (now() - this.#removedAtMs < removeEveryMs) return;
    this.#removedAtMs = now();
    await removeLive(pool, now());
    await removeFed(pool, now());
    await removeEndedItems(pool, now());
  }

  async #feed(workspace: Workspace): Promise<boolean> {
    for (let batch = 0; batch < batchesMax && !this.#isStopped; batch++) {
      if (!(await feedBatch(this.#options, workspace))) return false;
    }
    return true;
  }
}

async function workspacesAhead(pool: Pool): Promise<ReadonlySet<string>> {
  const found = await pool.query<{ workspace_id: string }>({
    name: 'feed_ahead',
    // Looks up the last event after the position. With `exists`, PostgreSQL would scan the whole table whenever the
    // console is up to date.
    text: `select e.workspace_id from engine_position e left join console_position c using (workspace_id)
            where (select max(v."offset") from event v where v.workspace_id = e.workspace_id) >= coalesce(c.next_offset, 0)
               or exists (select 1 from console_waiting w join event v using (workspace_id, "offset")
                           where w.workspace_id = e.workspace_id and v.status <> 'waiting')`,
  });
  return new Set(found.rows.map((row) => row.workspace_id));
}

/**
 * Adds changes of actions to the counts by minute and by hour, for all workspaces. One process at a time: what it
 * removes and what it adds become visible in the same instant.
 */
export async function addActions(pool: Pool): Promise<void> {
  await pool.query({
    name: 'feed_add_actions',
    text: `with changed as (
             delete from console_action
              where (select pg_try_advisory_xact_lock(hashtextextended('ringfence.console_action', 0)))
             returning workspace_id, at, state, count
           )
           insert into console_count as c (workspace_id, span, at, name, key, count)
           select workspace_id, span, date_bin(make_interval(secs => span), at, 'epoch'), 'action', state, sum(count)
             from changed, (values (60), (3600)) as s(span)
            group by 1, 2, 3, 5 having sum(count) <> 0 order by 1, 2, 3, 5
           on conflict (workspace_id, span, at, name, key) do update set count = c.count + excluded.count`,
  });
}
