import type { Facts } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { KeyText } from '../memory/key-text.ts';
import type { SubjectId } from '../record.ts';
import type { PlannedGroup } from './planned-group.ts';

/** What names an entity within its group. */
export interface Naming {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
}

/** Room for the parts of one name: the first so many are its own. It never gets shorter, which would take a while. */
const parts: string[] = [];

/** Writes the entity's key within its group; false when a fact that names it is missing. Different names never give equal keys. */
export function writeGroupKey(key: KeyText, group: PlannedGroup, naming: Naming): boolean {
  if (!partsOf(group, naming)) return false;
  if (group.by.length === 1) key.set(parts[0]!);
  else key.setParts(parts, group.by.length);
  return true;
}

/** The same key as a text. */
export function groupKey(group: PlannedGroup, naming: Naming): string | undefined {
  if (!partsOf(group, naming)) return undefined;
  const own = parts.slice(0, group.by.length);
  return own.length === 1 ? own[0] : own.map((part) => `${part.length}:${part}`).join('');
}

function partsOf({ by }: PlannedGroup, { facts, subject }: Naming): boolean {
  for (let place = 0; place < by.length; place++) {
    const { isSubject, slot } = by[place]!;
    const text = isSubject ? subject : factText(facts[slot]);
    if (text === undefined) return false;
    parts[place] = text;
  }
  return true;
}
