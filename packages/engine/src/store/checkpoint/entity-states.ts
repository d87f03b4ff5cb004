import type { GradualCheckpoint, SuppliedEntity } from './checkpoint.ts';

/** Where the entities of a checkpoint come from, some at a time. */
export type EntitySource = Pick<GradualCheckpoint, 'next'>;

/** A store that is asked over a connection answers later. */
type Answer<Value> = Value | Promise<Value>;

/**
 * The entities of the last stored checkpoint, by key: where a host keeps what leaves memory.
 *
 * Every implementation passes `entityStatesConformance`; a rule that is not tested there is not promised.
 *
 * @typeParam Connection what a call goes over, a transaction for instance; nothing for a store in memory
 */
export interface EntityStates<Connection = unknown> {
  isEmpty(on: Connection): Answer<boolean>;
  /** What is stored of each key, in their order; a key of which nothing is stored is answered too. */
  load(keys: readonly string[], on: Connection): Answer<readonly SuppliedEntity[]>;
  /**
   * Takes entities until none are left. What was stored of each is replaced as a whole, its subject and its expiry too;
   * nothing stays of one that is no more.
   */
  save(checkpoint: EntitySource, on: Connection): Answer<void>;
  /** Removes every entity stored under one of these clients, and no others. */
  removeSubjects(subjects: readonly string[], on: Connection): Answer<void>;
  /** Removes those that are the same as absent from this log time on, or some of them: the rest goes with later calls. */
  removeExpired(logTimeMs: number, on: Connection): Answer<void>;
  /** From now on it holds what another store of its kind holds, and nothing else. */
  replaceBy(other: this, on: Connection): Answer<void>;
}
