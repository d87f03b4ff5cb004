import { type OutcomeMessage, type OutcomeName, parseJson, isJsonObject, readOutcome } from '@ringfence/contract';
import type { Pool } from 'pg';
import { openUndamaged } from '../platform/secrets/seal.ts';
import { clientPlace, keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type OutcomeReason, reasonPattern } from './outcome-reasons.ts';

/** The NOTIFY channel on which every process hears of new reports. */
export const outcomeChannel = 'ringfence_outcome';

/** `waiting` for its event, `matched` with it and in the log, or `unmatched` for good. */
export const outcomeStates = ['waiting', 'matched', 'unmatched'] as const;
export type OutcomeState = (typeof outcomeStates)[number];
/** `open`: not matched, whether it still waits or not. */
export const outcomeStateFilters = [...outcomeStates, 'open'] as const;

export interface OutcomeRow {
  readonly seq: number;
  readonly id: string;
  readonly received_at: Date;
  readonly happened_at: Date | null;
  readonly outcome: OutcomeName;
  readonly author: string;
  readonly subject: string | null;
  readonly body: Buffer | null;
  readonly reference_indexes: readonly Buffer[];
  readonly state: OutcomeState;
  readonly reason: string | null;
  readonly tries: number;
  readonly offset: number | null;
  readonly epoch: number | null;
}

export const outcomeColumns = `seq, id, received_at, happened_at, outcome, author, subject, body, reference_indexes, state,
  reason, tries, "offset", epoch`;

/** A report as people see it. */
export interface StoredOutcome {
  readonly seq: number;
  readonly id: string;
  readonly outcome: OutcomeName;
  readonly state: OutcomeState;
  readonly reason: string | undefined;
  readonly author: string;
  readonly receivedAtMs: number;
  /** The event that it was matched with. */
  readonly found: { readonly offset: number; readonly epoch: number } | undefined;
  /** `undefined` once the client is erased. */
  readonly message: OutcomeMessage | undefined;
}

/** The message of a row; `undefined` if its client was erased. */
export function messageOf(
  workspace: Workspace,
  { id, body, subject }: Pick<OutcomeRow, 'id' | 'body' | 'subject'>,
  keys: ReadonlyMap<string, Buffer>,
): OutcomeMessage | undefined {
  const key = keyAmong(keys, workspace, subject);
  if (body === null || key === undefined) return undefined;
  const opened = openUndamaged(key, body, clientPlace('outcome', { workspaceId: workspace.id, subject }, id));
  const json = opened === undefined ? undefined : parseJson(opened);
  return json?.ok === true && isJsonObject(json.value) ? readOutcome(json.value) : undefined;
}

export interface OutcomeFilter {
  readonly limit: number;
  /** Only reports before this one. */
  readonly before?: number | undefined;
  readonly state?: (typeof outcomeStateFilters)[number] | undefined;
  readonly reason?: OutcomeReason | undefined;
  /** Only reports that were matched with this event. */
  readonly event?: { readonly offset: number; readonly epoch: number } | undefined;
}

/** The reports of a workspace, newest first. */
export async function listOutcomes(
  deps: { readonly pool: Pool; readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  { limit, before, state, reason, event }: OutcomeFilter,
): Promise<readonly StoredOutcome[]> {
  const conditions = ['workspace_id = $1', 'seq < $2'];
  const values: unknown[] = [workspace.id, before ?? Number.MAX_SAFE_INTEGER];
  if (state === 'open') conditions.push(`state <> 'matched'`);
  else if (state !== undefined) conditions.push(`state = $${values.push(state)}`);
  if (reason !== undefined) conditions.push(`reason like $${values.push(reasonPattern(reason))}`);
  if (event !== undefined)
    conditions.push(`"offset" = $${values.push(event.offset)}`, `epoch = $${values.push(event.epoch)}`);
  const { rows } = await deps.pool.query<OutcomeRow>(
    `select ${outcomeColumns} from outcome_report
      where ${conditions.join(' and ')} order by seq desc limit $${values.push(limit)}`,
    values,
  );
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    outcome: row.outcome,
    state: row.state,
    reason: row.reason ?? undefined,
    author: row.author,
    receivedAtMs: row.received_at.getTime(),
    found: row.offset === null || row.epoch === null ? undefined : { offset: row.offset, epoch: row.epoch },
    message: messageOf(workspace, row, keys),
  }));
}
