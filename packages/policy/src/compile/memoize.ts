import type { Facts } from '../facts/fact-value.ts';
import type { Compiled, KeptValue, Run } from './compiled.ts';
import type { Value } from './value.ts';

/** For a cheaper part, computing it again costs less than checking whether its facts are unchanged. */
const dearMin = 100;

/**
 * The part with its value cached for as long as the facts that it reads stay the same: a thousand rules that each
 * search `transaction.description.plain()` for another word compute that text once per event. Used for calls whose
 * result is not a boolean; `SharedConditions` caches those.
 *
 * @param slotOf returns the slot of a fact
 */
export function keepValue(part: Compiled, slotOf: (path: string) => number): Compiled {
  if (part.constant || part.type === 'bool' || part.cost < dearMin) return part;
  const reads = [...new Set(part.reads)];
  const costAgain = 1 + reads.length;
  const cost = part.cost + costAgain;
  const kept: KeptValue = { reads, cost, costAgain, inner: part.kept ?? [] };
  return { ...part, run: keeping(part.run, reads.map(slotOf)), cost, kept: [kept] };
}

/**
 * The facts are compared, not the event, so it does not matter whose event it is or whether a fact has changed since.
 * Texts of one event are the same string in memory, so no letter is compared.
 */
function keeping(run: Run, slots: readonly number[]): Run {
  const before: Value[] = slots.map(() => undefined);
  let value: Value;
  let isKnown = false;
  return (facts: Facts) => {
    let isSame = isKnown;
    for (let at = 0; at < slots.length; at++) {
      const fact = facts[slots[at]!];
      if (Object.is(fact, before[at])) continue;
      before[at] = fact;
      isSame = false;
    }
    if (isSame) return value;
    isKnown = false; // until the value is set: `run` may throw
    value = run(facts);
    isKnown = true;
    return value;
  };
}
