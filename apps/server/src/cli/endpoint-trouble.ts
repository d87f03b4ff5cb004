import { labelOf } from '../config/reconcile.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { OpenInstallation } from './open-installation.ts';

/** Why a workspace's webhook receives nothing although deliveries are not paused, and how to fix it. */
export interface EndpointTrouble {
  readonly state: 'open' | 'disabled';
  readonly detail: string;
  readonly mend: string;
}

/** `undefined` if the webhook is not known to fail. */
export async function endpointTrouble(
  { deliveries }: Pick<OpenInstallation, 'deliveries'>,
  workspace: Workspace,
): Promise<EndpointTrouble | undefined> {
  const { state } = await deliveries.endpoint(workspace.id);
  const label = labelOf(workspace);
  const mend = `ringfence webhook test -w ${label}`;
  switch (state) {
    case 'closed':
      return undefined;
    case 'open':
      return {
        state,
        detail: `the webhook of ${label} fails and is tried every 30 s; queued actions are kept`,
        mend,
      };
    case 'disabled':
      return {
        state,
        detail: `the webhook of ${label} failed for days and is disabled; actions wait, and expire at their usual time`,
        mend: `${mend}; once it answers: ringfence webhook enable -w ${label}`,
      };
  }
}
