import type { Compiled } from './compiled.ts';
import type { Demand } from './rule-index-key.ts';
import type { Type } from './type.ts';
import type { Value } from './value.ts';

/** Types whose equal values are identical, also as keys of a map. */
const exact: ReadonlySet<Type> = new Set<Type>(['string', 'int', 'bool']);

/** For `fact == constant`, either way round. */
export function demandOfEquality([left, right]: readonly [Compiled, Compiled]): readonly Demand[] {
  const [fact, value] = left.constant ? [right, left] : [left, right];
  if (fact.slot === undefined || !value.constant || fact.type !== value.type || !exact.has(fact.type)) return [];
  return [{ slot: fact.slot, values: new Set([value.run([])]) }];
}

/** For `fact in [constants]`. */
export function demandOfList(fact: Compiled, values: ReadonlySet<Value>): readonly Demand[] {
  return fact.slot !== undefined && exact.has(fact.type) ? [{ slot: fact.slot, values }] : [];
}

/** For `a && b`: the requirements of either side. */
export function demandsOfBoth(left: Compiled, right: Compiled): readonly Demand[] {
  return [...(left.demands ?? []), ...(right.demands ?? [])];
}

/** For `a || b`: the requirements of both sides on the same fact. */
export function demandsOfEither(left: Compiled, right: Compiled): readonly Demand[] {
  return (left.demands ?? []).flatMap(({ slot, values }) => {
    const other = right.demands?.find((demand) => demand.slot === slot);
    return other === undefined ? [] : [{ slot, values: new Set([...values, ...other.values]) }];
  });
}
