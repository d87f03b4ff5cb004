import { dayMs } from '@ringfence/contract';
import type { LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import type { HostDeps } from './host-deps.ts';

export const failoverTables = `
-- Where a log went on in a new life of the database: after a fail-over, a recovery or a restore.
create table new_life (
  workspace_id text not null references workspace on delete cascade,
  -- Of the first record in it.
  "offset"     bigint not null,
  since        timestamptz not null,
  -- When the last record was appended that is kept of the life before.
  kept_until   timestamptz not null,
  primary key (workspace_id, "offset")
);
`;

/** A failover, recovery or restore of the database, as a workspace's log shows it. */
export interface Failover {
  readonly workspaceId: string;
  readonly sinceMs: number;
  /** Events acknowledged between this instant and `sinceMs` may be missing. */
  readonly keptUntilMs: number;
}

/** How long people are notified. Banks keep sent events for a limited time; later nothing can be sent again. */
export const failoverReportedMs = 7 * dayMs;

/** Failovers later than `afterMs`, newest first. */
export async function readFailovers(pool: Pool, afterMs: number): Promise<readonly Failover[]> {
  const found = await pool.query<{ workspace_id: string; since: Date; kept_until: Date }>(
    `select workspace_id, since, kept_until from new_life
      where since > to_timestamp($1::float8 / 1000.0) order by since desc, workspace_id`,
    [afterMs],
  );
  return found.rows.map(({ workspace_id: workspaceId, since, kept_until: keptUntil }) => ({
    workspaceId,
    sinceMs: since.getTime(),
    keptUntilMs: keptUntil.getTime(),
  }));
}

/**
 * Detects where the log of a workspace continues after a failover, recovery or restore of the database. Events that
 * were lost there had been acknowledged, and only the bank can send them again: people must be notified.
 */
export class FailoverWatch {
  readonly #deps: Pick<HostDeps, 'pool' | 'log' | 'logger'>;
  readonly #workspaceId: string;
  /** The last record that was checked. */
  #last: Pick<LogRecord, 'epoch' | 'logTimeMs'> | undefined;

  constructor(deps: Pick<HostDeps, 'pool' | 'log' | 'logger'>, workspaceId: string) {
    this.#deps = deps;
    this.#workspaceId = workspaceId;
  }

  /** Checks the records that are decided next, at least one. */
  async look(records: readonly LogRecord[]): Promise<void> {
    const { offset } = records[0]!;
    if (this.#last === undefined && offset > 0) {
      const [before] = await this.#deps.log.read(this.#workspaceId, offset - 1, 1);
      this.#last = before;
    }
    for (const record of records) {
      if (this.#last !== undefined && record.epoch !== this.#last.epoch) await this.#tell(record, this.#last.logTimeMs);
      this.#last = record;
    }
  }

  /** Needs no fence: every writer inserts the same row, which repeats what the log contains, and only the first insert counts. */
  async #tell({ epoch, offset, logTimeMs }: LogRecord, keptUntilMs: number): Promise<void> {
    const noted = await this.#deps.pool.query(
      `insert into new_life (workspace_id, "offset", since, kept_until)
       values ($1, $2, to_timestamp($3::float8 / 1000.0), to_timestamp($4::float8 / 1000.0)) on conflict do nothing`,
      [this.#workspaceId, offset, logTimeMs, keptUntilMs],
    );
    if (noted.rowCount === 0) return;
    const [since, keptUntil] = [logTimeMs, keptUntilMs].map((ms) => new Date(ms).toISOString());
    this.#deps.logger.warn({ workspace: this.#workspaceId, epoch, offset, since, keptUntil }, newLifeMessage);
  }
}

const newLifeMessage =
  'the database was failed over, recovered or restored: events acknowledged shortly before may be missing';
