import type { EventKind } from '@ringfence/contract';

/** What a table says of a kind of event: quicker than by name, as it is asked of each event. */
export function ofKind<Value>(table: Readonly<Record<EventKind, Value>>, kind: EventKind): Value {
  if (kind === 'operation') return table.operation;
  return kind === 'login' ? table.login : table.logout;
}
