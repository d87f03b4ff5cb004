import {
  type Effect,
  type EngineRecord,
  type EngineState,
  stepTogether,
  type SuppliedEntity,
  supply,
  togetherMax,
} from '@ringfence/engine';

/** What is stored of entities: the database's work, at nobody else's cost. */
export type Reading = (keys: readonly string[]) => readonly SuppliedEntity[];

/** Steps records from the one at `from` on, one at least and as many as the host steps together. */
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
