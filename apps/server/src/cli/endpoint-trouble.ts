import { labelOf } from '../config/reconcile.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { OpenInstallation } from './open-installation.ts';

/** Why nothing is sent to the webhook of a workspace although nothing is paused, and what helps. */
export interface EndpointTrouble {
  readonly state: 'open' | 'disabled';
  readonly detail: string;
  readonly mend: string;
}

/** `undefined` when its webhook answers, as far as is known. */
export async function endpointTrouble(
  { outbox }: Pick<OpenInstallation, 'outbox'>,
  workspace: Workspace,
): Promise<EndpointTrouble | undefined> {
  const { state } = await outbox.endpoint(workspace.id);
  const label = labelOf(workspace);
  const mend = `ringfence webhook test -w ${label}`;
  switch (state) {
    case 'closed':
      return undefined;
    case 'open':
      return {
        state,
        detail: `the webhook of ${label} fails, and is tried every 30 s; nothing queued is lost`,
        mend,
      };
    case 'disabled':
      return {
        state,
        detail: `the webhook of ${label} only failed for days, and is not tried any more; actions wait, and expire in their time`,
        mend: `${mend}; when it answers: ringfence webhook enable -w ${label}`,
      };
  }
}
