import type { Facts } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { SubjectId } from '../record.ts';
import type { PlannedGroup } from './plan.ts';

/** The entity's key within its group; `undefined` when a fact that names it is missing. Different names never give equal keys. */
export function groupValue(group: PlannedGroup, facts: Facts, subject: SubjectId | undefined): string | undefined {
  const { by } = group;
  if (by.length === 1) return partOf(by[0]!, facts, subject);
  let value = '';
  for (const part of by) {
    const text = partOf(part, facts, subject);
    if (text === undefined) return undefined;
    value += `${text.length}:${text}`;
  }
  return value;
}

function partOf(part: PlannedGroup['by'][number], facts: Facts, subject: SubjectId | undefined): string | undefined {
  if (part.isSubject) return subject;
  return factText(facts[part.slot]);
}
