import type { EventKind } from '@ringfence/contract';

/** Look-up by kind of event. Faster than by a varying property name; this runs for every event. */
export function ofKind<Value>(table: Readonly<Record<EventKind, Value>>, kind: EventKind): Value {
  if (kind === 'operation') return table.operation;
  return kind === 'login' ? table.login : table.logout;
}
