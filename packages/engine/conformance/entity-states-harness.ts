import type { CheckpointEntity } from '../src/store/checkpoint/checkpoint.ts';
import type { EntitySource, EntityStates } from '../src/store/checkpoint/entity-states.ts';
import type { StoredEntity } from '../src/store/checkpoint/memory-entity-states.ts';

/** Two empty stores that know nothing of those that were opened before, for `entityStatesConformance`. */
export interface OpenedStates<Connection, States extends EntityStates<Connection>> {
  readonly states: States;
  /** By which `states` can be replaced. */
  readonly other: States;
  readonly on: Connection;
  /** All that one of the two stores, by the keys that its rows stand for. Throws for a row of none of these keys. */
  rows(of: States, keys: readonly string[]): Promise<ReadonlyMap<string, StoredEntity>>;
}

/** Gives these entities, at most `atOnce` at a time, whatever it is asked for. */
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

/** Rows to be compared: bytes by their numbers, whatever array they are in. */
export function plain(rows: ReadonlyMap<string, StoredEntity>): ReadonlyMap<string, unknown> {
  return new Map([...rows].map(([key, { bytes, ...rest }]) => [key, { ...rest, bytes: [...bytes] }]));
}
