/**
 * The secret that signs a workspace's webhooks, and how it is replaced:
 *
 *   signs alone --rotate--> the new one and the one before both sign --overlap ends, or retire--> the new one alone
 *
 * So a receiver may take up the new one at any time within the overlap. Never more than two sign.
 */
import { randomBytes } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { putSecret } from './workspace-secrets.ts';
import { lockWorkspace } from './workspace-store.ts';
import type { Workspace } from './workspace.ts';

/** Hours that the one before signs on. Source: Standard Webhooks leaves it open; Svix takes 24. */
export const overlapHoursDefault = 24;
/** Two weeks: longer than a bank's change takes. */
export const overlapHoursMax = 336;

const secretBytes = 32;

/** All that sign at this moment, the newest first. */
export function signingSecrets({ secrets }: Pick<Workspace, 'secrets'>, nowMs: number): readonly Buffer[] {
  const { webhook, webhookBefore: before } = secrets;
  return before === undefined || nowMs >= before.untilMs ? [webhook] : [webhook, before.secret];
}

export interface NewSigningSecret {
  /** To be handed to the bank. */
  readonly secret: Buffer;
  /** Until when the one before signs on; `undefined`: it has ended. */
  readonly beforeUntilMs: number | undefined;
}

/**
 * Makes a new secret; the one before signs beside it for the overlap, of 0 to 336 hours. With 0 nothing but the new one
 * signs, whatever did before: for a secret that leaked.
 *
 * @throws Problem `state.conflict` when two sign already and the overlap is not 0, `thing.unknown`
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
    `Two secrets sign already: the one before the present one does until ${until}. Retire it first.`,
  );
}

/**
 * Ends the overlap: from now on the present secret signs alone, within 5 s on every process.
 *
 * @returns whether another one signed
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

/** Nobody needs a secret that does not sign any more: it is not kept. */
async function dropReplaced(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(
    `delete from workspace_secret where workspace_id = $1 and name = 'webhook' and retired_at is not null`,
    [workspaceId],
  );
}
