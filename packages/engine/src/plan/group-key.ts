import type { Facts } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { KeyText } from '../store/store.ts';
import type { SubjectId } from '../record.ts';
import type { NamingFact } from './planned-group.ts';

/** The names of the entities that an event is about. Each fact is encoded once, however many names it is part of. */
export interface GroupKeys {
  /** A single fact can be a name itself, or only a part of other names. */
  readonly ofFacts: readonly { readonly key: KeyText; readonly fact: NamingFact; readonly isName: boolean }[];
  readonly composed: readonly { readonly key: KeyText; readonly parts: readonly KeyText[] }[];
}

/** Reusable buffers for the names of one event at a time. */
export class KeyPool {
  readonly #newKey: () => KeyText;
  readonly #keys = new Map<string, KeyText>();

  constructor(newKey: () => KeyText) {
    this.#newKey = newKey;
  }

  /** The buffer for the name made of these facts; always the same one. */
  keyOf(by: readonly NamingFact[]): KeyText {
    const facts = by.map(({ slot, isSubject }) => (isSubject ? 'client' : slot)).join();
    const key = this.#keys.get(facts) ?? this.#newKey();
    this.#keys.set(facts, key);
    return key;
  }

  /** What to write for groups that are named by these facts. */
  keysOf(groups: readonly (readonly NamingFact[])[]): GroupKeys {
    const names = new Set(groups.map((by) => this.keyOf(by)));
    const ofFacts = new Map(groups.flat().map((fact) => [this.keyOf([fact]), fact]));
    const several = groups.filter((by) => by.length > 1);
    const composed = new Map(several.map((by) => [this.keyOf(by), by.map((fact) => this.keyOf([fact]))]));
    return {
      ofFacts: Array.from(ofFacts, ([key, fact]) => ({ key, fact, isName: names.has(key) })),
      composed: Array.from(composed, ([key, parts]) => ({ key, parts })),
    };
  }
}

/** Writes the names of an event's entities. A name with a missing fact is missing. */
export function writeGroupKeys(
  { ofFacts, composed }: GroupKeys,
  { facts, subject }: { readonly facts: Facts; readonly subject: SubjectId | undefined },
): void {
  for (const { key, fact, isName } of ofFacts) {
    const text = fact.isSubject ? subject : factText(facts[fact.slot]);
    if (text === undefined) key.isMissing = true;
    else if (isName) key.set(text);
    else key.write(text);
  }
  for (const { key, parts } of composed) key.setParts(parts);
}
