import { setImmediate as turn } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { sleep } from '../platform/sleep.ts';
import type { Position } from './batch-writer.ts';
import type { HostDeps } from './host-deps.ts';
import { type Capture, type CheckpointTarget, holdOwnership, writeCheckpoint } from './partition-records.ts';
import type { Stepper } from './stepper.ts';

/**
 * When a checkpoint is due. The interval bounds what is stepped again after a crash: 60,000 records take some 3 s. With
 * many records it is longer, because an entity that changes often is then written once and not several times.
 */
const everyMs = { quiet: 8_000, busy: 30_000 };
/** At most this many records in 8 s are few. */
const quietRecords = 8_000;
const everyRecords = 60_000;
/** Between two parts, each of which takes a millisecond: a checkpoint takes a quarter of the thread's time. */
const restMs = 3;

/**
 * Writes checkpoints concurrently with deciding: changed entities are captured as of one offset, part by part, sealed
 * and written on a separate connection while the engine steps on. At most one checkpoint is written at a time. Then
 * segments of the stored states are merged, if there are enough of them.
 */
export class Checkpoints {
  readonly #deps: Pick<HostDeps, 'pool'>;
  readonly #target: CheckpointTarget;
  readonly #stepper: Stepper;
  #inFlight: Promise<void> | undefined;
  #merging: Promise<void> | undefined;
  readonly #stop = new AbortController();
  #failure: Error | undefined;
  /** The last capture, by a monotonic clock. */
  #captured: { readonly offset: number; readonly atMs: number };

  constructor(deps: Pick<HostDeps, 'pool'>, target: CheckpointTarget, stepper: Stepper) {
    this.#deps = deps;
    this.#target = target;
    this.#stepper = stepper;
    this.#captured = { offset: stepper.startOffset, atMs: performance.now() };
  }

  /** Infinite while one is being written: there is nothing to wake up for. */
  dueInMs({ nextOffset }: Position): number {
    if (this.#inFlight !== undefined) return Infinity;
    const stepped = nextOffset - this.#captured.offset;
    if (stepped >= everyRecords) return 0;
    const intervalMs = stepped <= quietRecords ? everyMs.quiet : everyMs.busy;
    return Math.max(0, this.#captured.atMs + intervalMs - performance.now());
  }

  /** Begins a checkpoint when one is due. Throws the error of a failed earlier one. */
  offer(at: Position): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#inFlight !== undefined) return;
    if (this.dueInMs(at) > 0) return;
    if (at.nextOffset > this.#captured.offset) this.#begin(at);
    else this.#captured = { offset: at.nextOffset, atMs: performance.now() };
  }

  /** Begins one when records were stepped again, so that a crash soon after does not repeat that work. */
  afterCatchUp(at: Position): void {
    if (at.nextOffset > this.#captured.offset) this.#begin(at);
  }

  /** Writes the final checkpoint of a clean stop: the next start steps nothing again. */
  async last(at: Position): Promise<void> {
    await this.settled();
    if (this.#failure !== undefined) throw this.#failure;
    if (at.nextOffset > this.#captured.offset) this.#begin(at);
    await this.settled();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when none is being written, whether it failed or not, and nothing is merged. */
  async settled(): Promise<void> {
    this.#stop.abort();
    await this.#inFlight;
    await this.#merging;
  }

  #begin(at: Position): void {
    this.#captured = { offset: at.nextOffset, atMs: performance.now() };
    const capture = this.#stepper.capture(at);
    this.#inFlight = this.#write(capture)
      .then(async () => {
        await this.#target.states.committed();
        this.#stepper.committed(capture.checkpoint);
        this.#merging ??= this.#merge();
      })
      .catch((error: unknown) => {
        this.#failure = error as Error;
      })
      .finally(() => {
        this.#inFlight = undefined;
      });
  }

  /** Decisions wait for a part of a checkpoint, so the parts of a long one are spread; the last one is in a hurry. */
  async #rest(): Promise<void> {
    if (this.#stop.signal.aborted) await turn();
    else await sleep(restMs, this.#stop.signal);
  }

  /** Merges until there is nothing to merge. */
  async #merge(): Promise<void> {
    const { ownership, states } = this.#target;
    const fence = (client: ClientBase): Promise<void> => holdOwnership(client, ownership);
    try {
      while (await states.compact(this.#deps.pool, fence, this.#stop.signal));
    } catch (error) {
      this.#failure ??= error as Error;
    } finally {
      this.#merging = undefined;
    }
  }

  async #write(capture: Capture): Promise<void> {
    const collected = await this.#target.states.collect(capture.checkpoint, () => this.#rest());
    const client = await this.#deps.pool.connect();
    let failed: Error | undefined;
    try {
      await writeCheckpoint(client, this.#target, { capture, collected });
    } catch (error) {
      failed = error as Error;
      throw error;
    } finally {
      client.release(failed);
    }
  }
}
