import type {
  AnsweredAction,
  AnsweredHold,
  AnsweredSession,
  AnsweredSuppression,
  DecidedAnswer,
} from '@ringfence/contract';
import { decodeActionPayload } from '@ringfence/delivery';
import type { FiredRule } from '@ringfence/engine';
import type { Pool } from 'pg';
import { answeredHolds } from '../../holds/answered-holds.ts';
import type { EventTable } from '../../platform/database/tables.ts';
import { eventId } from '../../records/event-id.ts';
import { openDecision } from '../../records/event-opener.ts';
import { openUndamaged } from '../../platform/secrets/seal.ts';
import { clientPlace, keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** The result for an event, as answered to its sender. */
export type Conclusion = Omit<DecidedAnswer, 'id' | 'status'>;

export interface ConclusionSources {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/**
 * The committed conclusions of events, by offset. A repeat has the conclusion of the event that it repeats. Events that
 * are not decided yet are missing from the map. `undefined` marks events that will never have a conclusion: they are
 * quarantined, or their client was erased.
 */
export async function readConclusions(
  { pool, subjects }: ConclusionSources,
  workspace: Workspace,
  offsets: readonly number[],
): Promise<ReadonlyMap<number, Conclusion | undefined>> {
  const rows = await readDecided(pool, workspace.id, offsets);
  const holds = await answeredHolds(pool, workspace.id, [...new Set(rows.map((row) => row.offset))]);
  // A rule that is suppressed is only in the detail; a repeat of a rejected payment is held without any rule.
  const acting = rows.filter((row) => row.detail !== null || holds.has(row.offset));
  const keys = await subjects.bySubject(workspace, subjectsIn(acting));
  const actions = await readActions(pool, workspace, { offsets: acting.map((row) => row.offset), keys });
  return new Map(rows.map((row) => [row.asked, conclusionOf(workspace, row, { keys, actions, holds })]));
}

type DecidedRow = { readonly asked: number } & Pick<
  EventTable,
  'offset' | 'epoch' | 'status' | 'subject' | 'matched' | 'mismatch' | 'fired' | 'detail'
>;

/** Follows a repeat to the event that it repeats, which has a lower offset, until that one is not a repeat itself. */
async function readDecided(
  pool: Pool,
  workspaceId: string,
  offsets: readonly number[],
): Promise<readonly DecidedRow[]> {
  const found = await pool.query<DecidedRow>({
    name: 'conclusion_events',
    text: `with recursive found as (
             select e."offset" as asked, e."offset", e.epoch, e.status, e.repeat_of, e.subject, e.matched, e.mismatch, e.fired, e.detail
               from event e where e.workspace_id = $1 and e."offset" = any($2::bigint[])
             union all
             select f.asked, e."offset", e.epoch, e.status, e.repeat_of, e.subject, e.matched, e.mismatch, e.fired, e.detail
               from found f join event e on e.workspace_id = $1 and e."offset" = f.repeat_of where f.status = 'repeat'
           )
           select asked, "offset", epoch, status, subject, matched, mismatch, fired, detail
             from found where status not in ('repeat', 'waiting')`,
    values: [workspaceId, offsets],
  });
  return found.rows;
}

type Keys = ReadonlyMap<string, Buffer>;
type Holds = ReadonlyMap<number, AnsweredHold>;

/** Of one event: what is on its way to the webhook or was executed, and what a cap stopped. */
interface ActionsOfEvent {
  readonly sent: (AnsweredAction | undefined)[];
  readonly capped: AnsweredSuppression[];
}

type Actions = ReadonlyMap<number, ActionsOfEvent>;

/**
 * The actions by the offset of their event, in the order in which they were decided. Only those that are on their way
 * to the webhook or were executed, and those that a cap stopped: an observed, expired or refused action is not to be
 * executed. `undefined` for an action that cannot be decrypted.
 */
async function readActions(
  pool: Pool,
  workspace: Workspace,
  { offsets, keys }: { readonly offsets: readonly number[]; readonly keys: Keys },
): Promise<Actions> {
  const actions = new Map<number, ActionsOfEvent>();
  if (offsets.length === 0) return actions;
  const found = await pool.query<ActionRow>({
    name: 'conclusion_actions',
    text: `select id, "offset", reason, action, subject, payload, state = 'held' as capped from action
            where workspace_id = $1 and "offset" = any($2::bigint[])
              and state in ('waiting', 'due', 'leased', 'executed', 'held')
            order by seq`,
    values: [workspace.id, offsets],
  });
  for (const row of found.rows) {
    let ofEvent = actions.get(row.offset);
    if (ofEvent === undefined) actions.set(row.offset, (ofEvent = { sent: [], capped: [] }));
    if (row.capped) ofEvent.capped.push({ reason: row.reason, why: 'cap', action: row.action });
    else ofEvent.sent.push(openAction(workspace, row, keys));
  }
  return actions;
}

interface ActionRow {
  readonly id: string;
  readonly offset: number;
  readonly reason: number;
  readonly action: number;
  readonly subject: string | null;
  readonly payload: Buffer;
  readonly capped: boolean;
}

function openAction(workspace: Workspace, row: ActionRow, keys: Keys): AnsweredAction | undefined {
  const { id: webhookId, action, reason } = row;
  const message = openMessage(workspace, row, keys);
  return message === undefined ? undefined : { action, message, reason, webhookId };
}

/** The message of an action; `undefined` if it cannot be decrypted. */
export function openMessage(
  workspace: Workspace,
  { id, subject, payload }: Pick<ActionRow, 'id' | 'subject' | 'payload'>,
  keys: Keys,
): string | undefined {
  const key = keyAmong(keys, workspace, subject);
  const opened = key && openUndamaged(key, payload, clientPlace('action', { workspaceId: workspace.id, subject }, id));
  return opened && decodeActionPayload(opened).message;
}

/** `undefined` if any part is unreadable: an incomplete conclusion could look like an approval. */
function conclusionOf(
  workspace: Workspace,
  row: DecidedRow,
  { keys, actions, holds }: { readonly keys: Keys; readonly actions: Actions; readonly holds: Holds },
): Conclusion | undefined {
  if (row.status !== 'decided') return undefined;
  const detail = openDecision(workspace, row, keys);
  const hasFired = row.detail !== null || row.fired.length > 0;
  if (hasFired && detail === undefined) return undefined;
  const { sent: asked, capped } = actions.get(row.offset) ?? { sent: [], capped: [] };
  const readable = asked.filter((action) => action !== undefined);
  if (readable.length < asked.length) return undefined;
  const live = (detail?.fired ?? []).filter(({ mode }) => mode === 'live');
  const fired = live.filter(({ suppressed }) => suppressed === undefined || suppressed === 'hold');
  const hold = holds.get(row.offset);
  const suppressed = [...live.flatMap(suppressionsOf), ...capped];
  return {
    ...(row.asked === row.offset ? {} : { repeatOf: eventId(row, workspace) }),
    fired: fired.map(({ reason, name }) => ({ reason, name })),
    actions: readable,
    ...(suppressed.length === 0 ? {} : { suppressed }),
    ...(hold === undefined ? {} : { hold }),
    ...(row.matched === null ? {} : { session: sessionAnswer(row.matched, row.mismatch) }),
  };
}

/** The actions that a rule did not request although its condition was met. */
export function suppressionsOf({ reason, suppressed, withheld = [] }: FiredRule): readonly AnsweredSuppression[] {
  // A repeat of a held payment has its own action.
  if (suppressed === undefined || suppressed === 'hold') return [];
  const why = suppressed === 'suppression' ? 'exception' : suppressed;
  return withheld.map((action) => ({ reason, why, action }));
}

export function sessionAnswer(matched: boolean, mismatch: DecidedRow['mismatch']): AnsweredSession {
  return mismatch === null ? { matched } : { matched, mismatch };
}
