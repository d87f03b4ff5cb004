import { dayMs, Problem } from '@ringfence/contract';
import { type SuppressionOf, suppressionsMax } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import { agree } from '../../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { activePolicy } from './active-policy.ts';
import { storeDirectives } from './directives.ts';

/** Longest suppression: what is meant for good is a list, which the policy shows. */
const suppressionMsMax = 366 * dayMs;
/** Those that are shown: the ones that end first. */
const listedMax = 1_000;

/** One rule asks nothing of one client or payee, for a while. */
export interface StoredSuppression {
  readonly id: string;
  readonly reason: number;
  readonly of: SuppressionOf;
  readonly untilMs: number;
  readonly why: string;
  readonly author: string;
  readonly madeAtMs: number;
}

/**
 * From its record in the log on the rule asks nothing of this client or payee. It takes the place of one that is in force
 * for the same: the engine knows one end of each.
 *
 * @throws Problem `request.invalid`, also for a rule that the policy does not have; `state.conflict` when as many as there
 *   may be are in force; `policy.invalid`, `log.unavailable`
 */
export async function suppress(
  deps: WorkspaceDeps,
  workspace: Workspace,
  wanted: Omit<StoredSuppression, 'id'>,
): Promise<StoredSuppression> {
  const { reason, of, untilMs, why, author, madeAtMs } = wanted;
  if (untilMs <= madeAtMs || untilMs - madeAtMs > suppressionMsMax) {
    const expected = 'a time to come, at most a year ahead';
    throw new Problem('request.invalid', 'A suppression has an end.', {
      errors: [{ pointer: '/until', detail: 'It does not end within a year.', expected }],
    });
  }
  await refuseUnknownRule(deps.pool, workspace, reason);
  const stored = { ...wanted, id: `sup_${randomId(12)}` };
  await inTransaction(deps.pool, async (client) => {
    await lockSuppressions(client, workspace);
    await endAlike(client, workspace, { reason, of, nowMs: madeAtMs });
    await refuseTooMany(client, workspace, madeAtMs);
    await client.query(
      `insert into suppression (workspace_id, id, reason, subject, payee, until, why, author, made_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        workspace.id,
        stored.id,
        reason,
        of.kind === 'client' ? of.subject : null,
        of.kind === 'payee' ? seal(workspace.secrets.data, Buffer.from(of.payee), contextOf(workspace)) : null,
        new Date(untilMs),
        why,
        author,
        new Date(madeAtMs),
      ],
    );
    await storeDirectives(client, workspace, {
      directives: [{ kind: 'suppress', subject: subjectOf(of), told: { reason, of, untilMs } }],
      author,
      comment: why,
    });
  });
  await agree(deps, workspace.id);
  return stored;
}

/** Until the transaction ends: suppressions of a workspace are made and ended one after the other. */
async function lockSuppressions(client: ClientBase, { id }: Workspace): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.suppression.' || $1, 0))`, [id]);
}

interface Alike {
  readonly reason: number;
  readonly of: SuppressionOf;
  readonly nowMs: number;
}

/** Ends what is in force of the rule for the same client or payee. */
async function endAlike(client: ClientBase, workspace: Workspace, alike: Alike): Promise<void> {
  await client.query(`update suppression set until = $3 where workspace_id = $1 and id = any($2)`, [
    workspace.id,
    await findAlike(client, workspace, alike),
    new Date(alike.nowMs),
  ]);
}

async function findAlike(
  client: ClientBase,
  workspace: Workspace,
  { reason, of, nowMs }: Alike,
): Promise<readonly string[]> {
  const found = await client.query<{ id: string; payee: Buffer | null }>(
    `select id, payee from suppression
      where workspace_id = $1 and reason = $2 and until > $3 and subject is not distinct from $4`,
    [workspace.id, reason, new Date(nowMs), subjectOf(of) ?? null],
  );
  const alike = found.rows.filter(({ payee }) => payee === null || openPayee(workspace, payee) === payeeOf(of));
  return alike.map(({ id }) => id);
}

/** The engine would leave one more out without a word. */
async function refuseTooMany(client: ClientBase, { id, name }: Workspace, nowMs: number): Promise<void> {
  const found = await client.query<{ count: number }>(
    `select count(*)::integer as count from suppression where workspace_id = $1 and until > $2`,
    [id, new Date(nowMs)],
  );
  if (found.rows[0]!.count < suppressionsMax) return;
  throw new Problem(
    'state.conflict',
    `${name} has ${suppressionsMax} suppressions in force, as many as there may be. End some that are not needed, or change the rule.`,
  );
}

/** Rules that are named in place of one that is not there. */
const namedMax = 3;

async function refuseUnknownRule(pool: Pool, workspace: Workspace, reason: number): Promise<void> {
  const reasons = ((await activePolicy(pool, workspace))?.rules ?? []).map((rule) => rule.reason);
  if (reasons.includes(reason)) return;
  const near = reasons.toSorted((a, b) => Math.abs(a - reason) - Math.abs(b - reason) || a - b).slice(0, namedMax);
  const expected =
    near.length === 0
      ? 'a policy with this rule first'
      : `one of its rules, of which ${near.join(', ')} are the nearest`;
  const detail = `The policy of ${workspace.name} has no rule ${reason}.`;
  throw new Problem('request.invalid', detail, { errors: [{ pointer: '/reason', detail, expected }] });
}

function subjectOf(of: SuppressionOf): string | undefined {
  return of.kind === 'client' ? of.subject : undefined;
}

function payeeOf(of: SuppressionOf): string | undefined {
  return of.kind === 'payee' ? of.payee : undefined;
}

function openPayee(workspace: Workspace, sealed: Buffer): string {
  return open(workspace.secrets.data, sealed, contextOf(workspace)).toString();
}

function contextOf({ id }: Workspace): string {
  return `suppression:${id}`;
}

interface Row {
  readonly id: string;
  readonly reason: number;
  readonly subject: string | null;
  readonly payee: Buffer | null;
  readonly until: Date;
  readonly why: string;
  readonly author: string;
  readonly made_at: Date;
}

/** Those that are in force. */
export async function listRuleSuppressions(
  pool: Pool,
  workspace: Workspace,
  nowMs: number,
): Promise<readonly StoredSuppression[]> {
  const found = await pool.query<Row>(
    `select id, reason, subject, payee, until, why, author, made_at from suppression
      where workspace_id = $1 and until > $2 order by until, id limit ${listedMax}`,
    [workspace.id, new Date(nowMs)],
  );
  return found.rows.map((row) => {
    const { id, reason, until, why, author, made_at: madeAt } = row;
    const of = aboutOf(workspace, row);
    return { id, reason, of, untilMs: until.getTime(), why, author, madeAtMs: madeAt.getTime() };
  });
}

function aboutOf(workspace: Workspace, { subject, payee }: Pick<Row, 'subject' | 'payee'>): SuppressionOf {
  if (subject !== null) return { kind: 'client', subject };
  return { kind: 'payee', payee: openPayee(workspace, payee!) };
}

/**
 * Ends one now. One whose place another has taken is none any more, also by a clock that is behind: the engine would end that
 * other one.
 *
 * @throws Problem `thing.unknown`, `log.unavailable`
 */
export async function endRuleSuppression(
  deps: WorkspaceDeps,
  workspace: Workspace,
  wanted: { readonly id: string; readonly author: string; readonly comment: string; readonly nowMs: number },
): Promise<void> {
  const { id, author, comment, nowMs } = wanted;
  await inTransaction(deps.pool, async (client) => {
    await lockSuppressions(client, workspace);
    const ended = await client.query<Pick<Row, 'reason' | 'subject' | 'payee'>>(
      `update suppression set until = $3 where workspace_id = $1 and id = $2 and until > $3 returning reason, subject, payee`,
      [workspace.id, id, new Date(nowMs)],
    );
    const [known] = ended.rows;
    if (known === undefined) throw notInForce(id);
    const [{ reason }, of] = [known, aboutOf(workspace, known)];
    if ((await findAlike(client, workspace, { reason, of, nowMs })).length > 0) throw notInForce(id);
    await storeDirectives(client, workspace, {
      directives: [{ kind: 'suppress', subject: subjectOf(of), told: { reason, of, untilMs: undefined } }],
      author,
      comment,
    });
  });
  await agree(deps, workspace.id);
}

function notInForce(id: string): Problem {
  return new Problem('thing.unknown', `There is no suppression ${id} in force.`);
}
