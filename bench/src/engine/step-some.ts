import {
  type Effect,
  type EngineRecord,
  type EngineState,
  stepTogether,
  type SuppliedEntity,
  supply,
  togetherMax,
} from '@ringfence/engine';

/** The stored entities. Their cost is the database's and is not timed. */
export type Reading = (keys: readonly string[]) => readonly SuppliedEntity[];

/** Steps records from index `from`: at least one, and at most as many as the host steps together. */
export function stepSome(
  state: EngineState,
  records: readonly EngineRecord[],
  { from, read }: { readonly from: number; readonly read: Reading },
): { readonly effects: readonly (readonly Effect[])[]; readonly asked: number } {
  const some = records.slice(from, from + togetherMax);
  let asked = 0;
  for (;;) {
    const { effects, keys } = stepTogether(state, some);
    asked += keys.length;
    if (keys.length > 0) supply(state, read(keys));
    if (effects.length > 0) return { effects, asked };
  }
}
