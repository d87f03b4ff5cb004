/**
 * The secret that signs a workspace's webhooks, and its rotation:
 *
 *   one secret signs --rotate--> new and previous secret sign --overlap ends, or retire--> only the new one signs
 *
 * A receiver can change to the new secret at any time during the overlap. At most two secrets sign.
 */
import { randomBytes } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { putSecret } from './workspace-secrets.ts';
import { lockWorkspace } from './workspace-store.ts';
import type { Workspace } from './workspace.ts';

/** Hours for which the previous secret keeps signing. Source: Standard Webhooks leaves it open; Svix uses 24. */
export const overlapHoursDefault = 24;
/** Two weeks: longer than a bank needs for a change. */
export const overlapHoursMax = 336;

const secretBytes = 32;

/** The secrets that sign at `nowMs`, newest first. */
export function signingSecrets({ secrets }: Pick<Workspace, 'secrets'>, nowMs: number): readonly Buffer[] {
  const { webhook, webhookBefore: before } = secrets;
  return before === undefined || nowMs >= before.untilMs ? [webhook] : [webhook, before.secret];
}

export interface NewSigningSecret {
  /** The new secret, for the bank. */
  readonly secret: Buffer;
  /** The end of the previous secret's overlap; `undefined`: it has already ended. */
  readonly beforeUntilMs: number | undefined;
}

/**
 * Generates a new secret; the previous one also signs during the overlap of 0 to 336 hours. With 0, for a leaked
 * secret, only the new one signs.
 *
 * @throws Problem `state.conflict` if two secrets already sign and the overlap is not 0; `thing.unknown`
 */
export function rotateSigningSecret(
  deps: Pick<WorkspaceDeps, 'pool' | 'master'>,
  workspaceId: string,
  overlapHours: number,
): Promise<NewSigningSecret> {
  return inTransaction(deps.pool, async (client) => {
    const { secrets } = await lockWorkspace(client, workspaceId, deps);
    if (secrets.webhookBefore !== undefined && overlapHours > 0) throw twoSign(secrets.webhookBefore.untilMs);
    await dropReplaced(client, workspaceId);
    const secret = randomBytes(secretBytes);
    await putSecret(client, { workspaceId, name: 'webhook', value: secret, master: deps.master });
    if (overlapHours === 0) {
      await dropReplaced(client, workspaceId);
      return { secret, beforeUntilMs: undefined };
    }
    const found = await client.query<{ signs_until: Date }>(
      `update workspace_secret set signs_until = now() + make_interval(hours => $2)
        where workspace_id = $1 and name = 'webhook' and retired_at is not null returning signs_until`,
      [workspaceId, overlapHours],
    );
    return { secret, beforeUntilMs: found.rows[0]!.signs_until.getTime() };
  });
}

function twoSign(untilMs: number): Problem {
  const until = new Date(untilMs).toISOString();
  return new Problem(
    'state.conflict',
    `Two secrets already sign: the previous one signs until ${until}. Retire it first.`,
  );
}

/**
 * Ends the overlap: within 5 s, only the present secret signs in all processes.
 *
 * @returns whether a previous secret was signing
 * @throws Problem `thing.unknown`
 */
export function retireSigningSecret(
  deps: Pick<WorkspaceDeps, 'pool' | 'master'>,
  workspaceId: string,
): Promise<boolean> {
  return inTransaction(deps.pool, async (client) => {
    const { secrets } = await lockWorkspace(client, workspaceId, deps);
    await dropReplaced(client, workspaceId);
    return secrets.webhookBefore !== undefined;
  });
}

/** Deletes replaced secrets: a secret that no longer signs is not needed. */
async function dropReplaced(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(
    `delete from workspace_secret where workspace_id = $1 and name = 'webhook' and retired_at is not null`,
    [workspaceId],
  );
}
