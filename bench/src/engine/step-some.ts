import { InvariantError } from '@ringfence/contract';
import {
  type Effect,
  type EngineRecord,
  type EngineState,
  stepTogether,
  type SuppliedEntity,
  supply,
  togetherMax,
} from '@ringfence/engine';

/** Rounds in which the engine may ask for entities, as the host allows. */
const needRoundsMax = 3;

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
  for (let round = 0; round <= needRoundsMax; round++) {
    const { effects, keys } = stepTogether(state, some);
    asked += keys.length;
    if (keys.length > 0) supply(state, read(keys));
    if (effects.length > 0) return { effects, asked };
  }
  throw new InvariantError('the engine asks for entities again and again');
}
