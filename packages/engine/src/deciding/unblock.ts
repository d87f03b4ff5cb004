import type { SubjectId } from '../record.ts';
import type { EngineState } from '../state.ts';

/** Ends the block of a client, if there is one. */
export function unblock(state: EngineState, subject: SubjectId): void {
  const client = state.store.client(subject);
  if (client?.block === undefined) return;
  state.store.changeClient(client.subject, client);
  client.block = undefined;
}
