import type { ClientBase } from 'pg';
import type { Position } from './batch-writer.ts';
import type { HostDeps } from './host-deps.ts';
import { type CheckpointTarget, type Collected, holdOwnership, writeCheckpoint } from './partition-records.ts';
import type { Stepper } from './stepper.ts';

/** Checkpoint interval: bounds what is stepped again after a crash (10 s of traffic; a start within 5 s). */
const everyMs = 8_000;
/** Records after which a checkpoint is due in any case: some 5 s of stepping at full speed. */
const everyRecords = 200_000;

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
  dueInMs(): number {
    if (this.#inFlight !== undefined) return Infinity;
    return Math.max(0, this.#captured.atMs + everyMs - performance.now());
  }

  /** Whether a checkpoint is due. Throws the error of a failed earlier one. */
  isDue({ nextOffset }: Position): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#inFlight !== undefined) return false;
    return this.dueInMs() <= 0 || nextOffset - this.#captured.offset >= everyRecords;
  }

  /** Begins a checkpoint when one is due: everything that was stepped must be written. */
  offer(at: Position): void {
    if (!this.isDue(at)) return;
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
    const { chain, states } = this.#target;
    const capture = { ...this.#stepper.capture(at), chain: chain.take() };
    this.#inFlight = states
      .collect(capture.checkpoint)
      .then((entities) => states.alone(() => this.#write({ ...capture, entities })))
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

  async #write(capture: Collected): Promise<void> {
    const client = await this.#deps.pool.connect();
    let failed: Error | undefined;
    try {
      await writeCheckpoint(client, this.#target, capture);
    } catch (error) {
      failed = error as Error;
      throw error;
    } finally {
      client.release(failed);
    }
  }
}
