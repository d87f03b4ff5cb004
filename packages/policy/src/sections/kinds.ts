import { type EventKind, eventKinds } from '@ringfence/contract';
import type { Item } from '../document/item.ts';

/** `on: [login, operation]`, or one kind alone. */
export function readKinds(item: Item): ReadonlySet<EventKind> | undefined {
  const items = item.isList ? item.list('on', eventKinds.length) : [item];
  if (items === undefined) return undefined;
  if (items.length === 0) return item.fail('on is empty', `one or more of ${eventKinds.join(', ')}`);
  const kinds = items.map((one) => one.choice('on', eventKinds));
  return kinds.includes(undefined) ? undefined : inOrder(new Set(kinds.filter((kind) => kind !== undefined)));
}

/** The kinds that are in all of the sets; all kinds if there are no sets. */
export function commonKinds(sets: readonly ReadonlySet<EventKind>[]): ReadonlySet<EventKind> {
  return new Set(eventKinds.filter((kind) => sets.every((set) => set.has(kind))));
}

export function kindNames(kinds: Iterable<EventKind>): string {
  return [...kinds].map((kind) => `${kind}s`).join(' and ');
}

/** Always in the same order, so that equal sets print equally. */
function inOrder(kinds: ReadonlySet<EventKind>): ReadonlySet<EventKind> {
  return new Set(eventKinds.filter((kind) => kinds.has(kind)));
}
