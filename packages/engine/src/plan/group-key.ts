import type { Facts } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { KeyText } from '../memory/key-text.ts';
import type { SubjectId } from '../record.ts';
import type { PlannedGroup } from './plan.ts';

/** What names an entity within its group. */
export interface Naming {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
}

const parts: string[] = [];

/** Writes the entity's key within its group; false when a fact that names it is missing. Different names never give equal keys. */
export function writeGroupKey(key: KeyText, group: PlannedGroup, naming: Naming): boolean {
  if (!partsOf(group, naming)) return false;
  if (parts.length === 1) key.set(parts[0]!);
  else key.setParts(parts);
  return true;
}

/** The same key as a text. */
export function groupKey(group: PlannedGroup, naming: Naming): string | undefined {
  if (!partsOf(group, naming)) return undefined;
  return parts.length === 1 ? parts[0] : parts.map((part) => `${part.length}:${part}`).join('');
}

function partsOf({ by }: PlannedGroup, { facts, subject }: Naming): boolean {
  parts.length = by.length;
  for (let place = 0; place < by.length; place++) {
    const { isSubject, slot } = by[place]!;
    const text = isSubject ? subject : factText(facts[slot]);
    if (text === undefined) return false;
    parts[place] = text;
  }
  return true;
}
