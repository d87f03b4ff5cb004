import { assert, ByteWriter } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import type { FeatureGroup } from '../../features/store/feature-group.ts';
import type { FeatureTable } from '../../features/store/feature-table.ts';
import type { SubjectId } from '../../record.ts';
import type { EngineState, StateOptions } from '../../state.ts';
import { clientKey, directoryKey, featureKey } from '../entities/entity-key.ts';
import { beginFeatureSnapshot, decodeDirectory } from './entity-codec.ts';
import { decodeGlobals, encodeGlobals } from './globals-codec.ts';

export interface CheckpointEntity {
  readonly key: string;
  /** The client whose erasure removes it. */
  readonly subject: SubjectId | undefined;
  /** `undefined` if it no longer exists. */
  readonly bytes: Uint8Array | undefined;
  /**
   * Log time from which it equals an absent one, ms; `undefined` for never. It may be deleted once a checkpoint of
   * that time is stored: recovery from an earlier one would still need it.
   */
  readonly expiresAtMs: number | undefined;
}

/**
 * The state as of `offset`: all globals, and the entities that changed since the last checkpoint. To be stored in one
 * transaction: first delete the entities of erased clients, then write `entities`.
 */
export interface Checkpoint {
  /** Offset of the last record in it; -1 for none. */
  readonly offset: number;
  /** Log time of that record, ms. */
  readonly logTimeMs: number;
  readonly engineVersion: string;
  readonly globals: Uint8Array;
  readonly entities: readonly CheckpointEntity[];
  /** Clients erased since the last checkpoint: every entity stored under their subject must be deleted. */
  readonly erased: readonly SubjectId[];
  /** Argument of `checkpointCommitted`. */
  readonly generation: number;
}

/** The stored state of an entity that `step` requested; `bytes` is `undefined` if there is none. */
export interface SuppliedEntity {
  readonly key: string;
  readonly bytes: Uint8Array | undefined;
}

/** A checkpoint whose entities are captured in small steps, while stepping continues. */
export interface GradualCheckpoint extends Omit<Checkpoint, 'entities'> {
  /** Up to `countMax` further entities, as of `offset`; empty after the last one. */
  next(countMax: number): readonly CheckpointEntity[];
}

/**
 * Begins a checkpoint of the present state; the previous one must be completely captured. Its entities stay in memory
 * until `checkpointCommitted`. If it cannot be stored, the state must be discarded and the last stored one restored.
 */
export function beginCheckpoint(state: EngineState): GradualCheckpoint {
  assert(state.effectsSoFar === undefined, 'a checkpoint must begin between two records');
  const writer = new ByteWriter();
  const globals = encodeGlobals(writer, state);
  const taken: CheckpointEntity[] = [];
  const { generation, erased } = state.store.beginCapture({
    client: (subject, bytes) => {
      taken.push({ key: clientKey(subject), subject, bytes, expiresAtMs: undefined });
    },
    directory: (session, bytes) => void taken.push(capturedDirectory(session, bytes)),
    feature: (group, block) => void taken.push(capturedFeature(writer, { group, block, table: state.features })),
  });
  const { offset, logTimeMs, engineVersion } = state;
  return {
    offset,
    logTimeMs,
    engineVersion,
    globals,
    erased,
    generation,
    next: (countMax) => {
      while (taken.length < countMax && state.store.captureSome(countMax - taken.length));
      return taken.splice(0, countMax);
    },
  };
}

/** A whole checkpoint, captured in one call. */
export function checkpointOf(state: EngineState): Checkpoint {
  const checkpoint = beginCheckpoint(state);
  return { ...checkpoint, entities: checkpoint.next(Infinity) };
}

function capturedDirectory(session: string, bytes: Uint8Array | undefined): CheckpointEntity {
  const holder = bytes && decodeDirectory(bytes, session).holder;
  return { key: directoryKey(session), subject: holder?.subject, bytes, expiresAtMs: holder?.untilMs ?? 0 };
}

function capturedFeature(
  writer: ByteWriter,
  { group, block, table }: { readonly group: FeatureGroup; readonly block: number; readonly table: FeatureTable },
): CheckpointEntity {
  const name = group.nameOf(block);
  const subject = table.subjectOf(group.number, name);
  beginFeatureSnapshot(writer, subject);
  const expiresAtMs = group.write(writer, block);
  return { key: featureKey(group.number, name), subject, bytes: writer.take(), expiresAtMs };
}

/** Must be called once the checkpoint is stored: its entities may now be evicted. */
export function checkpointCommitted(state: EngineState, { generation }: Pick<Checkpoint, 'generation'>): void {
  state.store.committed(generation);
}

/**
 * The state with a checkpoint's globals; entities are requested as records need them.
 *
 * @param policy the policy of the version that `readHead` names; `undefined` for version 0
 * @throws NewerFormError for bytes of an unknown, newer version
 * @throws InvariantError for damaged ones
 */
export function restoreState(
  globals: Uint8Array,
  policy: Policy | undefined,
  options: StateOptions = { complete: false },
): EngineState {
  return decodeGlobals(globals, policy, options);
}

/** Adds loaded entities, or the fact that they are absent. Entities that are already in memory stay unchanged. */
export function supply(state: EngineState, entities: readonly SuppliedEntity[]): void {
  for (const { key, bytes } of entities) state.store.supply(key, bytes);
}

/**
 * Evicts entities that are stored and not in use, the coldest first, until at most `bytesMax` is used or none is left
 * to evict. They are loaded again on demand. Returns how many were evicted.
 *
 * @param steps maximum number of table parts to visit, a fraction of a millisecond each; the next call continues there
 */
export function evict(state: EngineState, bytesMax: number, steps = Infinity): number {
  assert(bytesMax >= 0, 'bytesMax must be a number, 0 or more');
  return state.store.evict(bytesMax, steps);
}

/** Number of entities, and names of absent ones, in memory. */
export function residentCount(state: EngineState): number {
  return state.store.size;
}

/** Approximate memory that they use. */
export function residentBytes(state: EngineState): number {
  return state.store.bytes;
}
