import { secondMs } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { DecidedNotice } from '../../records/decided-notice.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type ReadPosition, WorkspaceLag } from './workspace-lag.ts';

/** How often the position is read of workspaces that wait without a notice, which may be lost with its connection. */
const lookEveryMs = 1_000;

export interface EngineLagDeps {
  /** Positions of these workspaces, from the database. */
  readonly read: (workspaceIds: readonly string[]) => Promise<ReadonlyMap<string, ReadPosition>>;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * How far the engine is behind each workspace, whichever process decides it. Every process that takes events knows it
 * from what it hears anyway: how far the logs have grown, and how far they are decided. Only after a start, or without
 * notices, it is read from the database.
 */
export class EngineLag {
  readonly #deps: EngineLagDeps;
  readonly #workspaces = new Map<string, WorkspaceLag>();
  /** Workspaces that are being read for the first time. */
  readonly #unknown = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: EngineLagDeps) {
    this.#deps = deps;
  }

  /** Reads the position of these workspaces, and from now on that of all that wait without a notice. */
  async start(workspaceIds: readonly string[]): Promise<void> {
    this.#timer ??= setInterval(() => void this.look(), lookEveryMs).unref();
    for (const id of workspaceIds) this.#unknown.add(id);
    await this.#read(workspaceIds);
    this.#unknown.clear();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** The log of a workspace has grown; `end` is infinite if it is not known how far. */
  grown(workspaceId: string, end: number): void {
    if (!Number.isFinite(end)) return;
    const lag = this.#workspaces.get(workspaceId);
    if (lag === undefined) this.#meet(workspaceId);
    else lag.grown(end, this.#deps.monotonicMs());
  }

  decided({ workspaceId, nextOffset }: DecidedNotice): void {
    const lag = this.#workspaces.get(workspaceId);
    if (lag === undefined) this.#meet(workspaceId);
    else lag.decided(nextOffset, this.#deps.monotonicMs());
  }

  /** How long the oldest undecided record of the workspace has waited; 0 if there is none. */
  lagMs(workspaceId: string): number {
    return this.#workspaces.get(workspaceId)?.lagMs(this.#deps.monotonicMs()) ?? 0;
  }

  /** When the record will be decided, in milliseconds from now; `undefined` if that cannot be known. */
  expectedMs(workspaceId: string, offset: number): number | undefined {
    return this.#workspaces.get(workspaceId)?.expectedMs(offset, this.#deps.monotonicMs());
  }

  /**
   * The whole seconds after which the workspace would take an event again, if an event that is sent now waited longer
   * than its `lagMax`; else `undefined`. A backlog from a start, a takeover or a pause does not count.
   */
  refusedSeconds({ id, settings: { lagMax } }: Workspace): number | undefined {
    if (lagMax === undefined) return undefined;
    const excessMs = this.#workspaces.get(id)?.excessMs(lagMax * secondMs, this.#deps.monotonicMs());
    return excessMs === undefined ? undefined : Math.ceil(excessMs / secondMs);
  }

  /** Reads the position of the workspaces that wait without a notice. */
  async look(): Promise<void> {
    const nowMs = this.#deps.monotonicMs();
    const silent = [...this.#workspaces].filter(([, lag]) => lag.isSilent(nowMs, lookEveryMs)).map(([id]) => id);
    if (silent.length > 0) await this.#read(silent);
  }

  /** A workspace that was made after the start. */
  #meet(workspaceId: string): void {
    if (this.#unknown.has(workspaceId)) return;
    this.#unknown.add(workspaceId);
    void this.#read([workspaceId]).finally(() => this.#unknown.delete(workspaceId));
  }

  async #read(workspaceIds: readonly string[]): Promise<void> {
    const known = new Map(workspaceIds.map((id) => [id, positionOf(this.#workspaces.get(id))]));
    const found = await this.#deps.read(workspaceIds).catch((error: unknown) => {
      if (!this.#isClosed) this.#deps.onError(error);
    });
    const nowMs = this.#deps.monotonicMs();
    for (const [id, position] of found ?? []) {
      const { decidedTo, end } = known.get(id)!;
      const lag = this.#workspaces.get(id);
      const isSetBack = position.decidedTo < decidedTo || position.end < end;
      // A failover or a restore may have set the log back.
      if (lag === undefined || isSetBack) this.#workspaces.set(id, new WorkspaceLag(position, nowMs));
      else {
        lag.grown(position.end, nowMs);
        lag.decided(position.decidedTo, nowMs);
      }
    }
  }
}

function positionOf(lag: WorkspaceLag | undefined): Omit<ReadPosition, 'lagMs'> {
  return lag === undefined ? { decidedTo: 0, end: 0 } : { decidedTo: lag.decidedTo, end: lag.end };
}

interface PositionRow {
  readonly id: string;
  readonly next_offset: string;
  readonly end_offset: string;
}

export async function readPositions(
  { pool, log }: { readonly pool: Pool; readonly log: Pick<EventLog, 'read'> },
  workspaceIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, ReadPosition>> {
  const found = await pool.query<PositionRow>({
    name: 'lag_positions',
    text: `select w.id, coalesce(e.next_offset, 0) as next_offset, coalesce(p.end_offset, 0) as end_offset
             from unnest($1::text[]) as w (id)
             left join engine_position e on e.workspace_id = w.id
             left join log_partition p on p.partition = w.id`,
    values: [workspaceIds],
  });
  const read = found.rows.map(async (row): Promise<[string, ReadPosition]> => {
    const [decidedTo, end] = [Number(row.next_offset), Number(row.end_offset)];
    const [oldest] = decidedTo < end ? await log.read(row.id, decidedTo, 1) : [];
    const lagMs = oldest === undefined ? 0 : Math.max(0, nowMs - oldest.logTimeMs);
    return [row.id, { decidedTo, end, lagMs }];
  });
  return new Map(await Promise.all(read));
}
