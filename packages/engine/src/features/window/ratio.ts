import type { Facts, FactValue, Ratio } from '@ringfence/policy';
import { doubleOfDecimal } from './ticks.ts';

/** Fills in the fact of one feature divided by another. */
export function fillRatio({ slot, of, to }: Ratio, facts: Facts): void {
  const [above, below] = [numberOf(facts[of.slot]), numberOf(facts[to.slot])];
  facts[slot] = above === undefined || below === undefined || below === 0 ? undefined : above / below;
}

function numberOf(value: FactValue): number | undefined {
  return typeof value === 'bigint' ? doubleOfDecimal(value) : (value as number | undefined);
}
