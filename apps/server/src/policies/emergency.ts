/**
 * The emergency path of the four-eyes principle: one person activates a version at once, and a second person confirms
 * it, or the version before comes back.
 *
 *     activated --approved by a second person--> approved
 *         |--refused, or withdrawn-------------> refused, withdrawn: the version before is active again
 *         |--its time is over------------------> expired: the version before is active again
 *         '--another version was activated-----> replaced
 *
 * The state is in the database, so that a restart forgets no end.
 */
import { homeOf } from '../platform/database/cell.ts';
import { hourMs, Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { type AuditDeps, auditedChange } from '../access/audit/audited-change.ts';
import { responsibleFor } from '../access/tokens/api-tokens.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { lockWorkspace } from '../tenancy/workspaces/workspace-store.ts';
import { activatePolicy } from './policy-store.ts';
import {
  answerPolicyRequest,
  type PolicyAnswer,
  type PolicyRequest,
  requestOf,
  type RequestRow,
} from './policy-requests.ts';
import type { PolicyWork } from './policy-work.ts';

/**
 * How long a change of one person decides. A day reaches the next working hours of a second person from any hour of a
 * working day, and is too short to live by.
 */
export const emergencyMs = 24 * hourMs;

/** A reason has at least some words: it is what the second person and an auditor read first. */
export const reasonLengthMin = 10;

export interface NewEmergency {
  readonly version: number;
  readonly reason: string;
  readonly by: string;
  readonly ifVersion?: number | undefined;
  readonly work: PolicyWork;
  readonly nowMs: number;
}

/**
 * Activates a stored version at once. An emergency that waits already is replaced: the new one inherits its end and the
 * version before, so that one person cannot prolong it.
 *
 * @throws Problem as `activatePolicy`; `state.conflict` if the version is active, if there is no version to come back
 *   to, or if another person requested it: it can be approved
 */
export async function activateInEmergency(
  deps: WorkspaceDeps,
  workspaceId: string,
  wanted: NewEmergency,
): Promise<PolicyRequest> {
  let made: PolicyRequest | undefined;
  const { version, ifVersion, work } = wanted;
  await activatePolicy(deps, workspaceId, {
    version,
    ifVersion,
    work,
    actor: 'api',
    also: async (client) => void (made = await noteEmergency(client, workspaceId, { ...wanted, home: homeOf(deps) })),
  });
  return made!;
}

async function noteEmergency(
  client: ClientBase,
  workspaceId: string,
  wanted: NewEmergency & { readonly home: Pool },
): Promise<PolicyRequest> {
  const { version, reason, by, nowMs } = wanted;
  const active = await activeVersion(client, workspaceId);
  if (active === null) throw new Problem('state.conflict', 'No version is active that could come back.');
  if (active === version) throw new Problem('state.conflict', `Version ${version} is active already.`);
  const pending = await replacePending(client, workspaceId, { active, nowMs });
  const { before, expiresAtMs } = pending ?? { before: active, expiresAtMs: nowMs + emergencyMs };
  if (before === version)
    throw new Problem(
      'state.conflict',
      `Version ${version} comes back when the present emergency is refused or withdrawn.`,
    );
  const values = [workspaceId, version, by, new Date(nowMs), reason, new Date(expiresAtMs), before];
  const set = `state = 'emergency', emergency_by = $3, emergency_at = $4, emergency_reason = $5, expires_at = $6, version_before = $7`;
  const open = await client.query<RequestRow>(
    `select * from policy_request where workspace_id = $1 and version = $2 and state = 'open'`,
    [workspaceId, version],
  );
  const asked = open.rows[0];
  if (asked !== undefined) {
    if ((await responsibleFor(wanted.home, asked.asked_by)) !== by)
      throw new Problem(
        'state.conflict',
        `${asked.asked_by} requested version ${version}: approve the request instead.`,
      );
    const changed = await client.query<RequestRow>(
      `update policy_request set ${set} where workspace_id = $1 and version = $2 and state = 'open' returning *`,
      values,
    );
    return requestOf(changed.rows[0]!);
  }
  const inserted = await client.query<RequestRow>(
    `insert into policy_request (workspace_id, version, asked_by, asked_at, emergency_by, emergency_at, emergency_reason,
                                 expires_at, version_before, id, comment, state)
     values ($1, $2, $3, $4, $3, $4, $5, $6, $7, $8, $5, 'emergency') returning *`,
    [...values, `req_${randomId(12)}`],
  );
  return requestOf(inserted.rows[0]!);
}

/** Ends the emergency that waits. @returns what a further one inherits from it, if its version still decides */
async function replacePending(
  client: ClientBase,
  workspaceId: string,
  { active, nowMs }: { readonly active: number; readonly nowMs: number },
): Promise<{ readonly before: number; readonly expiresAtMs: number } | undefined> {
  const { rows } = await client.query<RequestRow>(
    `update policy_request set state = 'replaced', answered_at = $2
      where workspace_id = $1 and state = 'emergency' returning *`,
    [workspaceId, new Date(nowMs)],
  );
  const row = rows[0];
  return row === undefined || row.version !== active ? undefined : requestOf(row).emergency;
}

/**
 * A second person's word that the version may stay. @throws Problem as `answerPolicyRequest`; `state.conflict` if it
 * does not decide any more
 */
export function confirmEmergency(
  deps: Pick<WorkspaceDeps, 'pool' | 'master'>,
  workspaceId: string,
  answer: PolicyAnswer & { readonly version: number },
): Promise<PolicyRequest> {
  return inTransaction(deps.pool, async (client) => {
    await lockWorkspace(client, workspaceId, deps);
    await refuseReplaced(client, workspaceId, answer.version);
    return answerPolicyRequest(client, workspaceId, answer);
  });
}

/** Activates the version before, together with `end`, which ends the emergency. @throws Problem as `activatePolicy` */
export async function takeBackEmergency(
  deps: WorkspaceDeps,
  workspaceId: string,
  of: {
    readonly version: number;
    readonly before: number;
    readonly work: PolicyWork;
    readonly end: (client: ClientBase) => Promise<void>;
  },
): Promise<void> {
  await activatePolicy(deps, workspaceId, {
    version: of.before,
    work: of.work,
    actor: 'api',
    isAgreed: true,
    also: async (client) => {
      await refuseReplaced(client, workspaceId, of.version);
      await of.end(client);
    },
  });
}

async function refuseReplaced(client: ClientBase, workspaceId: string, version: number): Promise<void> {
  const active = await activeVersion(client, workspaceId);
  if (active !== version) throw new Problem('state.conflict', `Version ${active} was activated instead meanwhile.`);
}

async function activeVersion(database: Pool | ClientBase, workspaceId: string): Promise<number | null> {
  const { rows } = await database.query<{ policy_version: number | null }>(
    `select policy_version from workspace where id = $1`,
    [workspaceId],
  );
  return rows[0]?.policy_version ?? null;
}

export interface EndDeps extends WorkspaceDeps, AuditDeps {
  readonly logger: { warn(fields: object, message: string): void };
  readonly work: PolicyWork;
}

/** Emergencies that one round ends: there is one for each workspace. */
const endedMax = 100;

/**
 * Takes back every emergency whose time is over, and closes those that another version replaced. Any process may do it
 * at any time.
 *
 * @returns how many ended
 */
export async function endEmergencies(deps: EndDeps): Promise<number> {
  const { pool, now, logger } = deps;
  const replaced = await pool.query(
    `update policy_request r set state = 'replaced', answered_at = $1
       from workspace w
      where r.state = 'emergency' and w.id = r.workspace_id and w.policy_version is distinct from r.version`,
    [new Date(now())],
  );
  const { rows } = await pool.query<RequestRow & { readonly workspace_id: string }>(
    `select * from policy_request r
      where state = 'emergency' and expires_at <= $1
        and exists (select from workspace w where w.id = r.workspace_id and w.placement = 'here')
      order by expires_at limit ${endedMax}`,
    [new Date(now())],
  );
  let ended = replaced.rowCount ?? 0;
  for (const row of rows) {
    try {
      await expire(deps, row.workspace_id, requestOf(row));
      ended++;
    } catch (error) {
      // Another process was first, or the version before cannot decide: then this line repeats until it can.
      logger.warn(
        { workspace: row.workspace_id, version: row.version, err: error },
        'a policy that one person activated in an emergency was not taken back; will retry',
      );
    }
  }
  return ended;
}

async function expire(deps: EndDeps, workspaceId: string, { id, version, emergency }: PolicyRequest): Promise<void> {
  const { before, by } = emergency!;
  const action = {
    action: 'expireEmergencyPolicy',
    workspaceId,
    target: id,
    detail: { version, by, before: version, after: before },
  };
  const actor = {
    actorKind: 'machine',
    actor: 'end of an emergency',
    address: '',
    requestId: `end_${randomId(16)}`,
  } as const;
  await auditedChange(deps, { by: actor, action: () => action }, () =>
    takeBackEmergency(deps, workspaceId, {
      version,
      before,
      work: deps.work,
      end: async (client) => {
        const { rowCount } = await client.query(
          `update policy_request set state = 'expired', answered_at = $3
            where workspace_id = $1 and id = $2 and state = 'emergency'`,
          [workspaceId, id, new Date(deps.now())],
        );
        if (rowCount !== 1) throw new Problem('state.conflict', 'The emergency was answered meanwhile.');
      },
    }),
  );
}
