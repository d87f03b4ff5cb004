import { dayMs, Problem } from '@ringfence/contract';
import { type SuppressionOf, suppressionsMax } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { syncSettings } from '../../tenancy/workspaces/settings-sync.ts';
import { subjectOfClient, type SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { activePolicy } from './active-policy.ts';
import { storeDirectives } from './directives.ts';

/** The longest suppression. A permanent exception should be a list, which is visible in the policy. */
const suppressionMsMax = 366 * dayMs;
/** The most suppressions that a list returns: those that end first. */
const listedMax = 1_000;

/** Suppresses the actions of one rule for one client or payee, for a limited time. */
export interface StoredSuppression {
  readonly id: string;
  readonly reason: number;
  readonly of: SuppressionOf;
  readonly untilMs: number;
  readonly why: string;
  readonly author: string;
  readonly madeAtMs: number;
}

/** A suppression as a person asks for it: for a client, or for a payee as in `payee.id`. */
export interface NewSuppression extends Omit<StoredSuppression, 'id' | 'of'> {
  readonly client?: string | undefined;
  readonly payee?: string | undefined;
}

/**
 * Suppresses a rule for a client or payee, from the record in the log on. Replaces a suppression in force for the same
 * rule and client or payee, because the engine keeps one end for each.
 *
 * @throws Problem `thing.unknown` for an unknown client; `request.invalid`, also for a rule that the policy does not
 *   have; `state.conflict` if the maximum number of suppressions is in force; `policy.invalid`, `log.unavailable`
 */
export async function suppressRule(
  deps: WorkspaceDeps & { readonly subjects: Pick<SubjectKeys, 'find'> },
  workspace: Workspace,
  { client, payee, ...wanted }: NewSuppression,
): Promise<StoredSuppression> {
  const of = await suppressedFor(deps, workspace, { client, payee });
  const { reason, untilMs, why, author, madeAtMs } = wanted;
  if (untilMs <= madeAtMs || untilMs - madeAtMs > suppressionMsMax) {
    const expected = 'a time in the future, at most a year ahead';
    throw new Problem('request.invalid', 'A suppression must end within a year.', {
      errors: [{ pointer: '/until', detail: 'It is in the past, or more than a year ahead.', expected }],
    });
  }
  await refuseUnknownRule(deps.pool, workspace, reason);
  const stored = { reason, of, untilMs, why, author, madeAtMs, id: `sup_${randomId(12)}` };
  await inTransaction(deps.pool, async (transaction) => {
    await lockSuppressions(transaction, workspace);
    await endAlike(transaction, workspace, { reason, of, nowMs: madeAtMs });
    await refuseTooMany(transaction, workspace, madeAtMs);
    await transaction.query(
      `insert into suppression (workspace_id, id, reason, subject, payee, until, why, author, made_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        workspace.id,
        stored.id,
        reason,
        of.kind === 'client' ? of.subject : null,
        of.kind === 'payee'
          ? seal(workspace.secrets.data, Buffer.from(of.payee), suppressionPlace(workspace, stored.id))
          : null,
        new Date(untilMs),
        why,
        author,
        new Date(madeAtMs),
      ],
    );
    await storeDirectives(transaction, workspace, {
      directives: [{ kind: 'suppress', subject: subjectOf(of), told: { reason, of, untilMs } }],
      author,
      comment: why,
    });
  });
  await syncSettings(deps, workspace.id);
  return stored;
}

async function suppressedFor(
  { subjects }: { readonly subjects: Pick<SubjectKeys, 'find'> },
  workspace: Workspace,
  { client, payee }: Pick<NewSuppression, 'client' | 'payee'>,
): Promise<SuppressionOf> {
  if (client !== undefined && payee === undefined)
    return { kind: 'client', subject: await subjectOfClient(subjects, workspace, client) };
  if (payee !== undefined && client === undefined) return { kind: 'payee', payee };
  throw new Problem('request.invalid', 'A suppression applies to a client or a payee.', {
    errors: [{ pointer: '', detail: 'Send exactly one of them.', expected: 'client or payee' }],
  });
}

/** Serializes changes to the suppressions of a workspace, until the transaction ends. */
async function lockSuppressions(client: ClientBase, { id }: Workspace): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.suppression.' || $1, 0))`, [id]);
}

interface Alike {
  readonly reason: number;
  readonly of: SuppressionOf;
  readonly nowMs: number;
}

/** Ends suppressions in force of the same rule and client or payee. */
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
  const alike = found.rows.filter(
    ({ id, payee }) => payee === null || openPayee(workspace, { id, payee }) === payeeOf(of),
  );
  return alike.map(({ id }) => id);
}

/** Refuses one suppression too many, which the engine would silently ignore. */
async function refuseTooMany(client: ClientBase, { id, name }: Workspace, nowMs: number): Promise<void> {
  const found = await client.query<{ count: number }>(
    `select count(*)::integer as count from suppression where workspace_id = $1 and until > $2`,
    [id, new Date(nowMs)],
  );
  if (found.rows[0]!.count < suppressionsMax) return;
  throw new Problem(
    'state.conflict',
    `${name} has ${suppressionsMax} suppressions in force, which is the maximum. End some of them, or change the rule.`,
  );
}

/** The number of existing rules suggested for an unknown one. */
const namedMax = 3;

async function refuseUnknownRule(pool: Pool, workspace: Workspace, reason: number): Promise<void> {
  const reasons = ((await activePolicy(pool, workspace))?.rules ?? []).map((rule) => rule.reason);
  if (reasons.includes(reason)) return;
  const near = reasons.toSorted((a, b) => Math.abs(a - reason) - Math.abs(b - reason) || a - b).slice(0, namedMax);
  const expected =
    near.length === 0 ? 'a policy that has this rule' : `one of its rules; the nearest: ${near.join(', ')}`;
  const detail = `The policy of ${workspace.name} has no rule ${reason}.`;
  throw new Problem('request.invalid', detail, { errors: [{ pointer: '/reason', detail, expected }] });
}

function subjectOf(of: SuppressionOf): string | undefined {
  return of.kind === 'client' ? of.subject : undefined;
}

function payeeOf(of: SuppressionOf): string | undefined {
  return of.kind === 'payee' ? of.payee : undefined;
}

function openPayee(workspace: Workspace, { id, payee }: { readonly id: string; readonly payee: Buffer }): string {
  return open(workspace.secrets.data, payee, suppressionPlace(workspace, id)).toString();
}

export function suppressionPlace(workspace: Workspace, id: string): Place {
  return { of: `suppression:${workspace.id}`, row: id };
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

/** The suppressions in force, the one that ends first at the top. */
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

function aboutOf(workspace: Workspace, { id, subject, payee }: Pick<Row, 'id' | 'subject' | 'payee'>): SuppressionOf {
  if (subject !== null) return { kind: 'client', subject };
  return { kind: 'payee', payee: openPayee(workspace, { id, payee: payee! }) };
}

/**
 * Ends a suppression now. A replaced suppression is refused even if this machine's clock is behind, because the engine
 * would end its replacement.
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
    const ended = await client.query<Pick<Row, 'id' | 'reason' | 'subject' | 'payee'>>(
      `update suppression set until = $3 where workspace_id = $1 and id = $2 and until > $3 returning id, reason, subject, payee`,
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
  await syncSettings(deps, workspace.id);
}

function notInForce(id: string): Problem {
  return new Problem('thing.unknown', `No suppression ${id} is in force.`);
}
