import type { GradualCheckpoint, SuppliedEntity } from './checkpoint.ts';

/** The source of a checkpoint's entities, a few at a time. */
export type EntitySource = Pick<GradualCheckpoint, 'next'>;

/** An implementation may be synchronous or, over a connection, asynchronous. */
type Answer<Value> = Value | Promise<Value>;

/**
 * The entities of the last stored checkpoint, by key: where a host keeps what is evicted from memory.
 *
 * Every implementation passes `entityStatesConformance`; a rule that is not tested there is not promised.
 *
 * @typeParam Connection what a call uses, a transaction for instance; nothing for a store in memory
 */
export interface EntityStates<Connection = unknown> {
  isEmpty(on: Connection): Answer<boolean>;
  /** The stored state of each key, in the order of the keys; keys without a stored state are included. */
  load(keys: readonly string[], on: Connection): Answer<readonly SuppliedEntity[]>;
  /**
   * Stores entities until the source is exhausted. Each replaces what was stored under its key, including subject and
   * expiry; an entity that no longer exists is deleted.
   */
  save(checkpoint: EntitySource, on: Connection): Answer<void>;
  /** Deletes every entity stored under one of these clients, and no others. */
  removeSubjects(subjects: readonly string[], on: Connection): Answer<void>;
  /** Deletes entities that are expired at this log time, or some of them; later calls delete the rest. */
  removeExpired(logTimeMs: number, on: Connection): Answer<void>;
  /** Replaces its whole content by that of another store of its kind. */
  replaceBy(other: this, on: Connection): Answer<void>;
}
