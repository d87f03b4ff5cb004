import { type EventKind, eventKinds } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import type { CountedKind } from '../policy.ts';

/** `on: [login, operation]`, or one kind alone. */
export function readKinds(item: Item): ReadonlySet<EventKind> | undefined {
  return readKindsOf(item, eventKinds);
}

/** The same for a feature, which may also count outcomes. */
export function readCountedKinds(item: Item): ReadonlySet<CountedKind> | undefined {
  return readKindsOf(item, countedKinds);
}

const countedKinds: readonly CountedKind[] = [...eventKinds, 'outcome'];

/** Always in the order of `known`, so that equal sets print equally. */
function readKindsOf<Kind extends CountedKind>(item: Item, known: readonly Kind[]): ReadonlySet<Kind> | undefined {
  const items = item.isList ? item.list('on', known.length) : [item];
  if (items === undefined) return undefined;
  if (items.length === 0) return item.fail('on is empty', `one or more of ${known.join(', ')}`);
  const kinds = items.map((one) => one.choice('on', known));
  return kinds.includes(undefined) ? undefined : new Set(known.filter((kind) => kinds.includes(kind)));
}

/** The kinds that are in all of the sets; all kinds if there are no sets. */
export function commonKinds(sets: readonly ReadonlySet<EventKind>[]): ReadonlySet<EventKind> {
  return new Set(eventKinds.filter((kind) => sets.every((set) => set.has(kind))));
}

export function kindNames(kinds: Iterable<CountedKind>): string {
  return [...kinds].map((kind) => `${kind}s`).join(' and ');
}
