import type { Facts } from '../facts/fact-value.ts';
import type { Compiled, KeptValue, Run } from './compiled.ts';
import type { Value } from './value.ts';

/** A part that costs less is computed again sooner than it is looked whether its facts are the same. */
const dearMin = 100;

/**
 * The part with its value kept for as long as the facts that it reads are the same: a thousand rules that each look for
 * another word in `transaction.description.plain()` make that text once for each event. For whole calls that answer
 * something else than yes or no, which `SharedConditions` keeps.
 *
 * @param slotOf where its facts stand
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
 * What is compared are the facts and not the event: so it does not matter whose event it is, or whether a fact has changed
 * since. Texts of one event are the same text in memory, of which no letter is looked at.
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
    isKnown = false; // until it is there: `run` may throw
    value = run(facts);
    isKnown = true;
    return value;
  };
}
