import { hashClient } from '@ringfence/delivery';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/**
 * The keyed hash of a client, as webhooks name it: always under the workspace's pepper, also where webhooks carry a plain
 * one. `undefined` without a client.
 */
export function keyOfClient({ secrets }: Pick<Workspace, 'secrets'>, client: string | undefined): string | undefined {
  return client === undefined || client === '' ? undefined : hashClient(client, secrets.pepper);
}
