import type { Expression } from './node.ts';

/** The number of digits that a double always keeps. */
const exactDigits = 15;

/**
 * The number of a literal: a decimal as the nearest double, a duration in milliseconds. `undefined` for anything else.
 */
export function numberOf(node: Expression): number | undefined {
  if (node.kind === 'number') return Number(node.value);
  if (node.kind === 'duration') return node.ms;
  const inner = node.kind === 'negate' ? numberOf(node.of) : undefined;
  return inner === undefined ? undefined : -inner;
}

/** Whether the number is exactly the one that was written. */
export function isExact(node: Expression): boolean {
  if (node.kind === 'negate') return isExact(node.of);
  return node.kind !== 'number' || node.text.replaceAll(/\D/g, '').length <= exactDigits;
}
