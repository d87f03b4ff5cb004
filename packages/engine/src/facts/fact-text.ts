import type { FactValue } from '@ringfence/policy';

/** A value as a text that names it; `undefined` when it is missing, or a map, which names nothing. */
export function factText(value: FactValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? undefined : value?.toString();
}
