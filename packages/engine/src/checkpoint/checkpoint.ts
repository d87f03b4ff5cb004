import { assert } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { SubjectId } from '../record.ts';
import type { EngineState, StateOptions } from '../state.ts';
import { keyOf, parseKey } from '../store/entity-key.ts';
import type { Entity } from '../store/entity-store.ts';
import { decodeEntity, encodeEntity } from './entity-codec.ts';
import { decodeGlobals, encodeGlobals } from './globals-codec.ts';

export interface CheckpointEntity {
  readonly key: string;
  /** The client whose erasure removes it. */
  readonly subject: SubjectId | undefined;
  /** `undefined`: it is no more. */
  readonly bytes: Uint8Array | undefined;
  /**
   * Log time from which it is the same as absent, ms; `undefined` for never. It may be dropped once a stored checkpoint
   * is as late: an earlier one would be stepped on from with it.
   */
  readonly expiresAtMs: number | undefined;
}

/**
 * The state as of `offset`: the globals whole, and the entities that changed since the last checkpoint. To be stored
 * in one transaction: first the entities of erased clients go, then `entities` are written.
 */
export interface Checkpoint {
  /** Offset of the last record in it; -1 for none. */
  readonly offset: number;
  /** Log time of that record, ms. */
  readonly logTimeMs: number;
  readonly engineVersion: string;
  readonly globals: Uint8Array;
  readonly entities: readonly CheckpointEntity[];
  /** Clients erased since the last checkpoint: every entity stored under their subject goes. */
  readonly erased: readonly SubjectId[];
  /** For `checkpointCommitted`. */
  readonly generation: number;
}

/** What is known of an entity that `step` asked for; `bytes` is `undefined` where there is none. */
export interface SuppliedEntity {
  readonly key: string;
  readonly bytes: Uint8Array | undefined;
}

/**
 * Captures a checkpoint; stepping may go on while it is stored. Its entities stay in memory until
 * `checkpointCommitted`. When it can't be stored, the state is of no use any more: restore the last one that was.
 */
export function checkpointOf(state: EngineState): Checkpoint {
  const writer = new ByteWriter();
  const { generation, changed, erased } = state.store.capture();
  return {
    offset: state.offset,
    logTimeMs: state.logTimeMs,
    engineVersion: state.engineVersion,
    globals: encodeGlobals(writer, state),
    entities: changed.map((entity) => captured(writer, entity)),
    erased,
    generation,
  };
}

function captured(writer: ByteWriter, entity: Entity): CheckpointEntity {
  const key = keyOf(entity);
  const { subject } = entity;
  if (entity.kind === 'client') return { key, subject, bytes: encodeEntity(writer, entity), expiresAtMs: undefined };
  const isGone = entity.kind === 'directory' && entity.holder === undefined;
  const bytes = isGone ? undefined : encodeEntity(writer, entity);
  return { key, subject, bytes, expiresAtMs: entity.expiresAtMs };
}

/** The checkpoint is stored: what it holds may leave memory. */
export function checkpointCommitted(state: EngineState, checkpoint: Checkpoint): void {
  state.store.committed(checkpoint.generation);
}

/**
 * The state that a checkpoint's globals hold; entities are asked for as records need them.
 *
 * @param policy the policy of the version that `readHead` names; `undefined` for version 0
 * @throws InvariantError for bytes of another snapshot version, or damaged ones
 */
export function restoreState(
  globals: Uint8Array,
  policy: Policy | undefined,
  options: StateOptions = { complete: false },
): EngineState {
  return decodeGlobals(globals, policy, options);
}

/** Brings entities into memory, or the knowledge that they are absent. What is in memory already stays as it is. */
export function supply(state: EngineState, entities: readonly SuppliedEntity[]): void {
  for (const { key, bytes } of entities) {
    const name = parseKey(key);
    const entity = bytes === undefined ? null : decodeEntity(key, bytes, state.features);
    if (name.kind === 'client') put(state.store.clients, name.subject, entity?.kind === 'client' ? entity : null);
    else if (name.kind === 'directory') {
      put(state.store.directories, name.session, entity?.kind === 'directory' ? entity : null);
    } else put(state.store.group(name.group), name.value, entity?.kind === 'feature' ? entity : null);
  }
}

function put<E>(entities: Map<string, E | null>, key: string, entity: E | null): void {
  if (!entities.has(key)) entities.set(key, entity);
}

/**
 * Lets entities go that are stored and not in use, the coldest first, until at most `entitiesMax` are in memory (or
 * all that may go have gone). They are asked for when they are needed again. Returns how many went.
 */
export function evict(state: EngineState, entitiesMax: number): number {
  assert(entitiesMax >= 0, 'a number of entities');
  return state.store.evict(entitiesMax);
}

/** How many entities, and names of absent ones, are in memory. */
export function residentCount(state: EngineState): number {
  return state.store.size;
}
