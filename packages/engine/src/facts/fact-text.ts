import type { FactValue } from '@ringfence/policy';

/** A value as text, for use in an entity's name; `undefined` if it is missing, or is a map. */
export function factText(value: FactValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? undefined : value?.toString();
}
