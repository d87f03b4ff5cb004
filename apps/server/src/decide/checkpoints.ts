import type { Position } from './batch-writer.ts';
import type { HostDeps } from './host-deps.ts';
import { type Capture, type CheckpointTarget, writeCheckpoint } from './partition-records.ts';
import type { Stepper } from './stepper.ts';

/** Between two checkpoints: bounds what is stepped again after a crash (10 s of traffic; a start within 5 s). */
const everyMs = 8_000;
/** After so many records a checkpoint is due however little time has passed: some 5 s of stepping at full speed. */
const everyRecords = 200_000;

/**
 * Writes checkpoints beside the deciding: what changed is captured as of one offset, little by little, sealed and
 * written on a connection of its own while the engine steps on. One at a time.
 */
export class Checkpoints {
  readonly #deps: Pick<HostDeps, 'pool'>;
  readonly #target: CheckpointTarget;
  readonly #stepper: Stepper;
  #inFlight: Promise<void> | undefined;
  #failure: Error | undefined;
  /** The last one, by a clock that never jumps. */
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

  /** Begins a checkpoint when one is due. Throws what a former one failed with. */
  offer(at: Position): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#inFlight !== undefined) return;
    const stepped = at.nextOffset - this.#captured.offset;
    if (this.dueInMs() > 0 && stepped < everyRecords) return;
    if (stepped > 0) this.#begin(at);
    else this.#captured = { offset: at.nextOffset, atMs: performance.now() };
  }

  /** Begins one when something was stepped again: it is not stepped a third time, however soon the next crash comes. */
  afterCatchUp(at: Position): void {
    if (at.nextOffset > this.#captured.offset) this.#begin(at);
  }

  /** The one at a clean end: the next start steps nothing again. */
  async last(at: Position): Promise<void> {
    await this.settled();
    if (this.#failure !== undefined) throw this.#failure;
    if (at.nextOffset > this.#captured.offset) this.#begin(at);
    await this.settled();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when none is being written, whether it failed or not. */
  async settled(): Promise<void> {
    await this.#inFlight;
  }

  #begin(at: Position): void {
    this.#captured = { offset: at.nextOffset, atMs: performance.now() };
    const capture = this.#stepper.capture(at);
    this.#inFlight = this.#write(capture)
      .then(() => this.#stepper.committed(capture.checkpoint))
      .catch((error: unknown) => {
        this.#failure = error as Error;
      })
      .finally(() => {
        this.#inFlight = undefined;
      });
  }

  async #write(capture: Capture): Promise<void> {
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
