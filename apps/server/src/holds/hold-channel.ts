import type { ClientBase } from 'pg';

/** The NOTIFY channel on which every process hears that holds of a workspace changed; the payload is its id. */
export const holdChannel = 'ringfence_hold';

/** Tells open pages, once the transaction is committed. */
export async function notifyHolds(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query({ name: 'hold_notify', text: `select pg_notify('${holdChannel}', $1)`, values: [workspaceId] });
}
