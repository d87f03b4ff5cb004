import type { Item } from '../document/item.ts';
import { nearestNumber } from '../check/nearest.ts';

const names = ['mode', 'share', 'cooldown', 'maxActions', 'score', 'priority'] as const;

/** Fields of a rule that replace its own. */
export type Overrides = Partial<Record<(typeof names)[number], Item>>;

/** An override, and its position. */
export interface ReadOverride {
  readonly keyItem: Item;
  readonly fields: Overrides;
}

/** `overrides: { 1101: { mode: shadow, share: 10% } }`, from all files, by the reason of the rule. */
export function readOverrides(sections: readonly Item[]): ReadonlyMap<number, ReadOverride> {
  const overrides = new Map<number, ReadOverride>();
  for (const { key, keyItem, value } of sections.flatMap((section) => section.entries('overrides') ?? [])) {
    const fields = value.fields('an override', names);
    if (!/^[1-9]\d{0,9}$/.test(key)) keyItem.fail(`${key} is not the reason of a rule`, '1101: { mode: shadow }');
    else if (overrides.has(Number(key))) keyItem.fail(`rule ${key} is overridden twice`, 'one of them');
    else if (fields !== undefined) overrides.set(Number(key), { keyItem, fields });
  }
  return overrides;
}

/** Reports overrides of rules that don't exist. */
export function checkOverrides(overrides: ReadonlyMap<number, ReadOverride>, reasons: ReadonlySet<number>): void {
  for (const [reason, { keyItem }] of overrides) {
    if (!reasons.has(reason)) keyItem.fail(`there is no rule ${reason} to override`, nearestNumber(reason, reasons));
  }
}
