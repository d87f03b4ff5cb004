import type { HoldEnd } from '@ringfence/policy';
import type { ClientBase, Pool } from 'pg';
import type { Place } from '../platform/secrets/seal.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';

export const holdStates = ['open', 'released', 'rejected', 'unresolved'] as const;
export type HoldState = (typeof holdStates)[number];

export const keptReasons = ['policy', 'fraud', 'blocked', 'proposed', 'interrupted'] as const;
export const resolvers = ['person', 'deadline', 'bank', 'age', 'erased', 'dropped', 'crowded'] as const;
export const decisionStates = ['undoable', 'second', 'sent', 'undone', 'refused'] as const;
export const holdDecisions = ['release', 'reject'] as const;
export type HoldDecision = (typeof holdDecisions)[number];

/** What a person decided about a hold. */
export interface StoredDecision {
  readonly decision: HoldDecision;
  readonly state: (typeof decisionStates)[number];
  readonly author: string;
  readonly madeAtMs: number;
  readonly undoUntilMs: number;
  readonly needsSecond: boolean;
  readonly second: string | undefined;
  /** Sealed under the client's key. */
  readonly comment: Buffer | undefined;
}

/** A held payment, as people see it. */
export interface StoredHold {
  /** The webhook id of the action that asked for it. */
  readonly id: string;
  /** In the order in which holds were opened. */
  readonly seq: number;
  /** The first operation. */
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly subject: string;
  readonly channelId: number;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly otherwise: HoldEnd;
  readonly state: HoldState;
  readonly openedAtMs: number;
  readonly dueAtMs: number;
  readonly keptBecause: (typeof keptReasons)[number] | undefined;
  /** Operations: the first one and its repeats. */
  readonly members: number;
  readonly resolvedAtMs: number | undefined;
  readonly resolvedBy: (typeof resolvers)[number] | undefined;
  readonly author: string | undefined;
  readonly bypassed: boolean;
  /** The last decision of a person. */
  readonly decision: StoredDecision | undefined;
}

export interface StoredMember {
  readonly epoch: number;
  readonly offset: number;
  readonly webhookId: string;
  readonly joinedAtMs: number;
  readonly resolution: Exclude<HoldState, 'open'> | undefined;
  readonly endedAtMs: number | undefined;
  readonly resolvedWith: string | undefined;
}

interface DecisionRow {
  readonly decision: HoldDecision;
  readonly decision_state: StoredDecision['state'];
  readonly decided_by: string;
  readonly made_at: Date;
  readonly undo_until: Date;
  readonly needs_second: boolean;
  readonly second: string | null;
  readonly comment: Buffer | null;
}

const decisionColumns =
  'd.decision, d.state as decision_state, d.author as decided_by, d.made_at, d.undo_until, d.needs_second, d.second, d.comment';

interface Row extends Partial<DecisionRow> {
  readonly id: string;
  readonly seq: number;
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly subject: string;
  readonly channel_id: number;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly otherwise: HoldEnd;
  readonly state: HoldState;
  readonly opened_at: Date;
  readonly due_at: Date;
  readonly kept_because: StoredHold['keptBecause'] | null;
  readonly members: number;
  readonly resolved_at: Date | null;
  readonly resolved_by: StoredHold['resolvedBy'] | null;
  readonly author: string | null;
  readonly bypassed: boolean;
}

const selectHolds = `
  select h.id, h.seq, h.epoch, h."offset", h.reason, h.subject, h.channel_id, h.amount, h.currency, h.otherwise, h.state,
         h.opened_at, h.due_at, h.kept_because, h.resolved_at, h.resolved_by, h.author, h.bypassed,
         (select count(*)::integer from hold_member m where m.hold_id = h.id) as members, ${decisionColumns}
    from hold h
    left join lateral (select * from hold_decision where hold_id = h.id order by id desc limit 1) d on true`;

export interface HoldFilter {
  /** `ended`: every state but `open`. */
  readonly state: HoldState | 'ended';
  readonly subject?: string | undefined;
  /** An operation that belongs to it. */
  readonly event?: { readonly epoch: number; readonly offset: number } | undefined;
}

/** Open holds by their deadline, the next one first; ended ones by their beginning, newest first. */
export async function listHolds(
  pool: Pool,
  workspaceId: string,
  of: {
    readonly filter: HoldFilter;
    readonly page: { readonly limit: number; readonly after?: number | undefined };
  },
): Promise<readonly StoredHold[]> {
  const { filter, page } = of;
  const { state, subject, event } = filter;
  const isOpen = state === 'open';
  const after = isOpen
    ? `(h.due_at, h.seq) > (select due_at, seq from hold where workspace_id = $1 and seq = $5)`
    : `h.seq < $5`;
  const found = await pool.query<Row>(
    `${selectHolds}
      where h.workspace_id = $1 and ${isOpen ? `h.state = 'open' and $2 = 'open'` : `h.state <> 'open' and $2 in ('ended', h.state)`}
        and ($3::text is null or h.subject = $3)
        and ($4::bigint is null or exists (
              select 1 from hold_member m where m.workspace_id = $1 and m."offset" = $4 and m.epoch = $7 and m.hold_id = h.id))
        and ($5::bigint is null or ${after})
      order by ${isOpen ? 'h.due_at, h.seq' : 'h.seq desc'} limit $6`,
    [workspaceId, state, subject ?? null, event?.offset ?? null, page.after ?? null, page.limit, event?.epoch ?? null],
  );
  return found.rows.map(holdOf);
}

/** `undefined` if this workspace has no such hold. */
export async function findHold(
  database: Pool | ClientBase,
  workspaceId: string,
  id: string,
): Promise<StoredHold | undefined> {
  const found = await database.query<Row>(`${selectHolds} where h.workspace_id = $1 and h.id = $2`, [workspaceId, id]);
  return found.rows[0] && holdOf(found.rows[0]);
}

/** The operations of a hold, in the order in which they joined. */
export async function listMembers(pool: Pool, holdId: string): Promise<readonly StoredMember[]> {
  const found = await pool.query<{
    epoch: number;
    offset: number;
    webhook_id: string;
    joined_at: Date;
    resolution: StoredMember['resolution'] | null;
    ended_at: Date | null;
    resolved_with: string | null;
  }>(
    `select epoch, "offset", webhook_id, joined_at, resolution, ended_at, resolved_with from hold_member
      where hold_id = $1 order by "offset"`,
    [holdId],
  );
  return found.rows.map((row) => ({
    epoch: row.epoch,
    offset: row.offset,
    webhookId: row.webhook_id,
    joinedAtMs: row.joined_at.getTime(),
    resolution: row.resolution ?? undefined,
    endedAtMs: row.ended_at?.getTime(),
    resolvedWith: row.resolved_with ?? undefined,
  }));
}

/** Every decision about a hold, in order. */
export async function listDecisions(pool: Pool, holdId: string): Promise<readonly StoredDecision[]> {
  const found = await pool.query<DecisionRow>(
    `select ${decisionColumns} from hold_decision d where d.hold_id = $1 order by d.id`,
    [holdId],
  );
  return found.rows.map(decisionOf);
}

/** Ids of the open holds of events, of any epoch: there is one of an offset at most. */
export async function openHoldsOf(pool: Pool, workspaceId: string, offsets: readonly number[]): Promise<string[]> {
  const found = await pool.query<{ id: string }>(
    `select distinct h.id from hold_member m join hold h on h.id = m.hold_id
      where m.workspace_id = $1 and m."offset" = any($2) and h.state = 'open' order by h.id`,
    [workspaceId, offsets],
  );
  return found.rows.map(({ id }) => id);
}

function holdOf(row: Row): StoredHold {
  const { decision } = row;
  return {
    id: row.id,
    seq: row.seq,
    epoch: row.epoch,
    offset: row.offset,
    reason: row.reason,
    subject: row.subject,
    channelId: row.channel_id,
    amount: row.amount ?? undefined,
    currency: row.currency ?? undefined,
    otherwise: row.otherwise,
    state: row.state,
    openedAtMs: row.opened_at.getTime(),
    dueAtMs: row.due_at.getTime(),
    keptBecause: row.kept_because ?? undefined,
    members: row.members,
    resolvedAtMs: row.resolved_at?.getTime(),
    resolvedBy: row.resolved_by ?? undefined,
    author: row.author ?? undefined,
    bypassed: row.bypassed,
    decision: typeof decision === 'string' ? decisionOf(row as DecisionRow) : undefined,
  };
}

/** The place of the comment on a decision. */
export function commentPlace(
  workspaceId: string,
  hold: { readonly id: string; readonly subject: string },
  { author, madeAtMs }: Pick<StoredDecision, 'author' | 'madeAtMs'>,
): Place {
  return clientPlace('hold', { workspaceId, subject: hold.subject }, `${hold.id}:${madeAtMs}:${author}`);
}

function decisionOf(row: DecisionRow): StoredDecision {
  return {
    decision: row.decision,
    state: row.decision_state,
    author: row.decided_by,
    madeAtMs: row.made_at.getTime(),
    undoUntilMs: row.undo_until.getTime(),
    needsSecond: row.needs_second,
    second: row.second ?? undefined,
    comment: row.comment ?? undefined,
  };
}
