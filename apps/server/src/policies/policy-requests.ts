/**
 * Four-eyes principle: a policy version is activated only after a person other than its requester has approved it.
 *
 *     requested --approve--> activated
 *         \------refuse----> refused
 *          \-----withdraw--> withdrawn (by the requester)
 *
 * In an emergency one person activates it before that: see `emergency.ts`.
 */
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { responsibleFor } from '../access/tokens/api-tokens.ts';
import { randomId } from '../platform/secrets/random-id.ts';

export const policyRequestSchema = `
create table policy_request (
  workspace_id text not null references workspace,
  id           text not null check (id ~ '^req_[a-z2-7]{12}$'),
  seq          bigint generated always as identity,
  version      integer not null,
  comment      text not null,
  asked_by     text not null,
  asked_at     timestamptz not null,
  state        text not null default 'open' check (state in ('open', 'approved', 'refused', 'withdrawn')),
  answered_by  text,
  answered_at  timestamptz,
  answer       text,
  primary key (workspace_id, id),
  foreign key (workspace_id, version) references policy_version
);
create unique index policy_request_open on policy_request (workspace_id, version) where state = 'open';
create index policy_request_list on policy_request (workspace_id, seq desc);
`;

/** Adds the requested feature backfill of the version. */
export const policyRequestWarmSchema = `alter table policy_request add column warm_from jsonb;`;

/**
 * Adds the emergency path, and the backtest of each request. One emergency at a time waits for its second person:
 * `version_before` is what both agreed to.
 */
export const emergencySchema = `
alter table policy_request drop constraint policy_request_state_check;
alter table policy_request add constraint policy_request_state_check
  check (state in ('open', 'emergency', 'approved', 'refused', 'withdrawn', 'expired', 'replaced'));
alter table policy_request add column emergency_by text;
alter table policy_request add column emergency_at timestamptz;
alter table policy_request add column emergency_reason text;
alter table policy_request add column expires_at timestamptz;
alter table policy_request add column version_before integer;
alter table policy_request add column backtest integer;
create unique index policy_request_emergency on policy_request (workspace_id) where state = 'emergency';
`;

/** The requested backfill: the log since an instant, and imported histories by name. */
export interface AskedHistory {
  readonly since?: string;
  readonly history?: readonly string[];
}

/** How one person activated the version before a second one has seen it. */
export interface Emergency {
  readonly by: string;
  readonly atMs: number;
  readonly reason: string;
  /** When the version before comes back, unless a second person has confirmed the change. */
  readonly expiresAtMs: number;
  /** The version before: the last one to which two people agreed. */
  readonly before: number;
}

export type RequestState = 'open' | 'emergency' | 'approved' | 'refused' | 'withdrawn' | 'expired' | 'replaced';

export interface PolicyRequest {
  readonly id: string;
  readonly version: number;
  readonly comment: string;
  readonly warmFrom: AskedHistory | undefined;
  readonly askedBy: string;
  readonly askedAtMs: number;
  readonly state: RequestState;
  readonly answeredBy: string | undefined;
  readonly answeredAtMs: number | undefined;
  readonly answer: string | undefined;
  readonly emergency: Emergency | undefined;
  /** The number of its newest backtest against the live policy. */
  readonly backtest: number | undefined;
}

export interface RequestRow {
  readonly id: string;
  readonly version: number;
  readonly comment: string;
  readonly warm_from: AskedHistory | null;
  readonly asked_by: string;
  readonly asked_at: Date;
  readonly state: PolicyRequest['state'];
  readonly answered_by: string | null;
  readonly answered_at: Date | null;
  readonly answer: string | null;
  readonly emergency_by: string | null;
  readonly emergency_at: Date | null;
  readonly emergency_reason: string | null;
  readonly expires_at: Date | null;
  readonly version_before: number | null;
  readonly backtest: number | null;
}

/** The most requests that a list returns: the newest. */
const listedMax = 100;

export async function listPolicyRequests(pool: Pool, workspaceId: string): Promise<readonly PolicyRequest[]> {
  const found = await pool.query<RequestRow>(
    `select * from policy_request where workspace_id = $1 order by seq desc limit ${listedMax}`,
    [workspaceId],
  );
  return found.rows.map(requestOf);
}

/** @throws Problem `state.conflict` if there is already an open request for this version */
export async function askForPolicy(
  pool: Pool,
  workspaceId: string,
  of: {
    readonly version: number;
    readonly comment: string;
    readonly warmFrom?: AskedHistory | undefined;
    readonly by: string;
    readonly nowMs: number;
  },
): Promise<PolicyRequest> {
  const { version, comment, warmFrom, by, nowMs } = of;
  const asked = await pool.query<RequestRow>(
    `insert into policy_request (workspace_id, id, version, comment, asked_by, asked_at, warm_from)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (workspace_id, version) where state = 'open' do nothing returning *`,
    [workspaceId, `req_${randomId(12)}`, version, comment, by, new Date(nowMs), warmFrom ?? null],
  );
  const row = asked.rows[0];
  if (row === undefined)
    throw new Problem('state.conflict', `There is already an open request for version ${version}.`);
  return requestOf(row);
}

/** @throws Problem `thing.unknown` */
export async function readPolicyRequest(pool: Pool, workspaceId: string, id: string): Promise<PolicyRequest> {
  return requestOf(await readRow(pool, workspaceId, id));
}

async function readRow(database: Pool | ClientBase, workspaceId: string, id: string): Promise<RequestRow> {
  const found = await database.query<RequestRow>(`select * from policy_request where workspace_id = $1 and id = $2`, [
    workspaceId,
    id,
  ]);
  const row = found.rows[0];
  if (row === undefined) throw new Problem('thing.unknown', `There is no request ${id} in this workspace.`);
  return row;
}

/** An answer to a request. */
export interface PolicyAnswer {
  readonly id: string;
  readonly state: 'approved' | 'refused' | 'withdrawn';
  readonly by: string;
  readonly answer: string;
  readonly nowMs: number;
  /** The home database, which has the tokens. */
  readonly home: Pool;
}

/**
 * Reads the request to be answered, and checks that `by` may answer it: only the requester may withdraw a request, and
 * the requester may not approve it, nor may the person who created the requesting token.
 *
 * @throws Problem `thing.unknown`, `state.conflict` if it was already answered, `right.missing` for the wrong person
 */
export async function openPolicyRequest(
  database: Pool | ClientBase,
  workspaceId: string,
  { id, state, by, home }: Pick<PolicyAnswer, 'id' | 'state' | 'by' | 'home'>,
): Promise<PolicyRequest> {
  const present = await readRow(database, workspaceId, id);
  const isOwn = [present.asked_by, present.emergency_by].includes(by);
  if (isOwn && state === 'approved') throw new Problem('right.missing', 'Another person has to approve your request.');
  if (state === 'approved' && (await responsibleFor(home, present.asked_by)) === by)
    throw new Problem(
      'right.missing',
      `${present.asked_by} made the request, and you created that token. Another person has to approve it.`,
    );
  if (!isOwn && state === 'withdrawn')
    throw new Problem('right.missing', `Only ${present.asked_by}, who made the request, can withdraw it.`);
  if (present.state !== 'open' && present.state !== 'emergency')
    throw new Problem('state.conflict', `The request was already answered: ${present.state}.`);
  return requestOf(present);
}

/**
 * Answers a request. The caller of an approval must activate the version in the same transaction.
 *
 * @throws Problem as `openPolicyRequest`
 */
export async function answerPolicyRequest(
  database: Pool | ClientBase,
  workspaceId: string,
  wanted: PolicyAnswer,
): Promise<PolicyRequest> {
  const { id, state, by, answer, nowMs } = wanted;
  const present = await openPolicyRequest(database, workspaceId, wanted);
  const answered = await database.query<RequestRow>(
    `update policy_request set state = $3, answered_by = $4, answered_at = $5, answer = $6
      where workspace_id = $1 and id = $2 and state = $7 returning *`,
    [workspaceId, id, state, by, new Date(nowMs), answer.trim(), present.state],
  );
  const row = answered.rows[0];
  if (row === undefined) throw new Problem('state.conflict', 'Another person has answered the request meanwhile.');
  return requestOf(row);
}

/** Notes the newest backtest of a request. */
export async function noteRequestBacktest(
  pool: Pool,
  workspaceId: string,
  of: { readonly id: string; readonly backtest: number },
): Promise<void> {
  await pool.query(`update policy_request set backtest = $3 where workspace_id = $1 and id = $2`, [
    workspaceId,
    of.id,
    of.backtest,
  ]);
}

export function requestOf(row: RequestRow): PolicyRequest {
  return {
    id: row.id,
    version: row.version,
    comment: row.comment,
    warmFrom: row.warm_from ?? undefined,
    askedBy: row.asked_by,
    askedAtMs: row.asked_at.getTime(),
    state: row.state,
    answeredBy: row.answered_by ?? undefined,
    answeredAtMs: row.answered_at?.getTime(),
    answer: row.answer ?? undefined,
    emergency: emergencyOf(row),
    backtest: row.backtest ?? undefined,
  };
}

function emergencyOf(row: RequestRow): Emergency | undefined {
  const { emergency_by: by, emergency_at: at, emergency_reason: reason, expires_at: ends, version_before } = row;
  if (by === null || at === null || ends === null || version_before === null) return undefined;
  return { by, atMs: at.getTime(), reason: reason ?? '', expiresAtMs: ends.getTime(), before: version_before };
}
