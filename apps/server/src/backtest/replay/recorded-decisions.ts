import type { Decision } from '@ringfence/engine';
import type { Pool } from 'pg';
import { type DecisionDetail, openDecision } from '../../records/event-opener.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** The decision about one event as stored in the database. */
export interface RecordedDecision {
  readonly epoch: number;
  readonly status: Decision['outcome'] | 'waiting' | 'quarantined';
  readonly decidedAtMs: number | undefined;
  readonly eventAtMs: number | undefined;
  readonly policyVersion: number | undefined;
  readonly repeatOf: number | undefined;
  readonly matched: boolean | undefined;
  readonly mismatch: string | undefined;
  /** Reasons of the rules that acted; those in shadow. */
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
  /** `undefined` when no rule fired, or the client was erased. */
  readonly detail: DecisionDetail | undefined;
  readonly actions: readonly RecordedAction[];
}

export interface RecordedAction {
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  /** `hashActionContent` of its decided content. */
  readonly contentHash: Buffer;
}

interface DecisionRow {
  readonly offset: number;
  readonly epoch: number;
  readonly status: RecordedDecision['status'];
  readonly decided_at: Date | null;
  readonly event_at: Date | null;
  readonly policy_version: number | null;
  readonly repeat_of: number | null;
  readonly matched: boolean | null;
  readonly mismatch: string | null;
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
  readonly subject: string | null;
  readonly detail: Buffer | null;
}

interface ActionRow extends Omit<RecordedAction, 'contentHash'> {
  readonly offset: number;
  readonly content_hash: Buffer;
}

/** Reads recorded decisions, many events at a time. */
export class RecordedDecisions {
  readonly #pool: Pool;
  readonly #subjects: Pick<SubjectKeys, 'bySubject'>;

  constructor(pool: Pool, subjects: Pick<SubjectKeys, 'bySubject'>) {
    this.#pool = pool;
    this.#subjects = subjects;
  }

  /** By offset; without events whose row is no longer kept. */
  async read(workspace: Workspace, offsets: readonly number[]): Promise<ReadonlyMap<number, RecordedDecision>> {
    const decided = await this.#pool.query<DecisionRow>({
      name: 'replay_decisions',
      text: `select "offset", epoch, status, decided_at, event_at, policy_version, repeat_of, matched, mismatch, fired,
                    shadow, subject, detail
               from event where workspace_id = $1 and "offset" = any($2)`,
      values: [workspace.id, offsets],
    });
    const actions = await this.#actions(workspace.id, offsets);
    const subjects = decided.rows.flatMap(({ subject, detail }) => (detail === null ? [] : (subject ?? [])));
    const keys = await this.#subjects.bySubject(workspace, [...new Set(subjects)]);
    return new Map(
      decided.rows.map((row) => [
        row.offset,
        decisionOf(row, openDecision(workspace, row, keys), actions.get(row.offset) ?? []),
      ]),
    );
  }

  async #actions(
    workspaceId: string,
    offsets: readonly number[],
  ): Promise<ReadonlyMap<number, readonly RecordedAction[]>> {
    const found = await this.#pool.query<ActionRow>({
      name: 'replay_actions',
      text: `select "offset", reason, position, action, content_hash from action
              where workspace_id = $1 and "offset" = any($2) and resolves is null order by "offset", reason, position`,
      values: [workspaceId, offsets],
    });
    const byOffset = new Map<number, RecordedAction[]>();
    for (const { offset, reason, position, action, content_hash: contentHash } of found.rows) {
      const one = { reason, position, action, contentHash };
      const same = byOffset.get(offset);
      if (same === undefined) byOffset.set(offset, [one]);
      else same.push(one);
    }
    return byOffset;
  }
}

function decisionOf(
  row: DecisionRow,
  detail: DecisionDetail | undefined,
  actions: readonly RecordedAction[],
): RecordedDecision {
  return {
    epoch: row.epoch,
    status: row.status,
    decidedAtMs: row.decided_at?.getTime(),
    eventAtMs: row.event_at?.getTime(),
    policyVersion: row.policy_version ?? undefined,
    repeatOf: row.repeat_of ?? undefined,
    matched: row.matched ?? undefined,
    mismatch: row.mismatch ?? undefined,
    fired: row.fired,
    shadow: row.shadow,
    detail,
    actions,
  };
}
