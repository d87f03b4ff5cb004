import type { CheckpointEntity } from '../src/store/checkpoint/checkpoint.ts';
import type { EntitySource, EntityStates } from '../src/store/checkpoint/entity-states.ts';
import type { StoredEntity } from '../src/store/checkpoint/memory-entity-states.ts';

/** Two empty stores, independent of those opened before, for `entityStatesConformance`. */
export interface OpenedStates<Connection, States extends EntityStates<Connection>> {
  readonly states: States;
  /** The store that can replace `states`. */
  readonly other: States;
  readonly on: Connection;
  /**
   * Everything in one of the two stores, by the keys that its rows represent. Throws for a row of none of these keys.
   */
  rows(of: States, keys: readonly string[]): Promise<ReadonlyMap<string, StoredEntity>>;
}

/** A source of these entities that returns at most `atOnce` at a time, whatever is requested. */
export function entitySource(entities: readonly CheckpointEntity[], atOnce = Infinity): EntitySource {
  let given = 0;
  return {
    next: (countMax) => {
      const some = entities.slice(given, given + Math.min(countMax, atOnce));
      given += some.length;
      return some;
    },
  };
}

/** Rows for comparison: bytes as numbers, whatever array they are in. */
export function plain(rows: ReadonlyMap<string, StoredEntity>): ReadonlyMap<string, unknown> {
  return new Map([...rows].map(([key, { bytes, ...rest }]) => [key, { ...rest, bytes: [...bytes] }]));
}
