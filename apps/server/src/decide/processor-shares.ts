/**
 * How the workspaces of a deciding thread share its processor, over turns of some milliseconds.
 *
 *     waiting --its deficit is left--> turn --5 ms, or its deficit is spent--> waiting
 *        ^                                                                       |
 *        '---- heavier ones are busy: a pause in proportion to the turn <--------'
 *
 * Workspaces of equal weight share by deficit round robin: each round gives those that wait a quantum, and a turn that
 * took longer is paid by later rounds. That would not keep a light workspace from the moments in which a heavy one waits
 * for its database: every answer would find the thread taken. So while a heavier workspace is busy, the lighter ones
 * together pause after each turn, until they used no more than their part of the time; a turn that was paid for by a
 * pause comes first. Without a heavier one they use all of it.
 *
 * Source: M. Shreedhar, G. Varghese, Efficient Fair Queuing using Deficit Round Robin, SIGCOMM 1995.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Environment } from '../tenancy/workspaces/workspace.ts';

/** The weight of a workspace by its environment. */
export type ShareWeights = Readonly<Record<Environment, number>>;

/** A turn ends after this time, so that other work of the thread waits no longer. One event may take longer. */
export const turnMsMax = 5;
/** What one round gives. */
const quantumMs = 5;
/** A workspace counts as busy for this long after a turn: a payment every second keeps its thread responsive. */
const busyMs = 1_000;
/** The most that lighter workspaces get together beside a busy heavier one, and the least. */
const lighterShareMax = 0.25;
const lighterShareMin = 0.02;

/** A pause is no longer, whatever a turn took: some of the lighter ones' events are decided every few seconds. */
const pauseMsMax = 2_000;
/** How soon a pause ends when the heavier ones are not busy any more. */
const pauseLookMs = 100;

export interface ShareClock {
  /** Monotonic. */
  nowMs(): number;
  /** Resolves when the event loop has turned. */
  turn(): Promise<unknown>;
  /** Resolves after this time, or when it is stopped. */
  sleep(ms: number, stop: AbortSignal): Promise<unknown>;
}

const systemClock: ShareClock = {
  nowMs: () => performance.now(),
  turn,
  sleep: (ms, stop) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      stop.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    }),
};

interface Waiting {
  readonly share: ProcessorShare;
  readonly begin: () => void;
}

/** The shares of one thread. */
export class ProcessorShares {
  readonly #clock: ShareClock;
  readonly #shares = new Set<ProcessorShare>();
  /** The round: its first one is next. */
  readonly #waiting: Waiting[] = [];
  /** By weight, until when workspaces of this weight pause. */
  readonly #pausedUntilMs = new Map<number, number>();
  #isAssigning = false;
  /** While all that wait pause. */
  #sleeping: AbortController | undefined;

  constructor(clock: ShareClock = systemClock) {
    this.#clock = clock;
  }

  /** A share for a workspace, until it is closed. */
  open(weight: number): ProcessorShare {
    const share = new ProcessorShare(weight, {
      clock: this.#clock,
      charged: (ms) => this.#charged(share, ms),
      isPressed: () => this.#isPressed(share),
      mustWait: () => this.#pauseMs(share) > 0 || this.#waiting.some((one) => this.#pauseMs(one.share) <= 0),
      wait: () => this.#wait(share),
      close: () => void this.#shares.delete(share),
    });
    this.#shares.add(share);
    return share;
  }

  #busy(): readonly ProcessorShare[] {
    const sinceMs = this.#clock.nowMs() - busyMs;
    return [...this.#shares].filter((share) => share.usedAtMs >= sinceMs);
  }

  #isPressed({ weight }: ProcessorShare): boolean {
    return this.#busy().some((other) => other.weight > weight);
  }

  #pauseMs(share: ProcessorShare): number {
    const leftMs = (this.#pausedUntilMs.get(share.weight) ?? 0) - this.#clock.nowMs();
    return leftMs > 0 && this.#isPressed(share) ? leftMs : 0;
  }

  /** After a turn beside heavier workspaces, all workspaces of this weight pause. */
  #charged({ weight }: ProcessorShare, ms: number): void {
    const busy = this.#busy();
    const sum = (of: readonly ProcessorShare[]): number => of.reduce((total, share) => total + share.weight, 0);
    const heavier = sum(busy.filter((share) => share.weight > weight));
    if (heavier === 0) return;
    const lighter = sum(busy.filter((share) => share.weight === weight));
    const part = Math.min(lighterShareMax, Math.max(lighterShareMin, lighter / (lighter + heavier)));
    const nowMs = this.#clock.nowMs();
    const fromMs = Math.max(nowMs, this.#pausedUntilMs.get(weight) ?? nowMs);
    this.#pausedUntilMs.set(weight, Math.min(fromMs + ms * (1 / part - 1), nowMs + pauseMsMax));
  }

  #wait(share: ProcessorShare): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { share, begin: resolve };
    share.usedAtMs = this.#clock.nowMs();
    // It keeps its place in the round while its deficit lasts.
    if (share.deficitMs > 0) this.#waiting.unshift(waiting);
    else this.#waiting.push(waiting);
    this.#sleeping?.abort();
    if (!this.#isAssigning) void this.#assign();
    return promise;
  }

  /** Begins one turn of each turn of the event loop, so that answers of the database are taken in between. */
  async #assign(): Promise<void> {
    this.#isAssigning = true;
    while (this.#waiting.length > 0) {
      await this.#clock.turn();
      const next = this.#next();
      if (next !== undefined) next.begin();
      else await this.#sleep();
    }
    this.#isAssigning = false;
  }

  async #sleep(): Promise<void> {
    const pausesMs = this.#waiting.map(({ share }) => this.#pauseMs(share));
    this.#sleeping = new AbortController();
    await this.#clock.sleep(Math.min(pauseLookMs, ...pausesMs), this.#sleeping.signal);
    this.#sleeping = undefined;
  }

  /** Removes the one whose turn it is; `undefined` while all of them pause. */
  #next(): Waiting | undefined {
    const ready = this.#waiting.filter(({ share }) => this.#pauseMs(share) <= 0);
    const lightest = Math.min(...ready.map(({ share }) => share.weight));
    const round = ready.filter(({ share }) => share.weight === lightest);
    let next = round[0];
    if (next === undefined) return undefined;
    // Alone, it owes nothing to anybody.
    if (round.length === 1) next.share.deficitMs = quantumMs;
    for (let place = 0; next.share.deficitMs <= 0; place++) {
      next = round[place % round.length]!;
      next.share.deficitMs += quantumMs;
    }
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }
}

interface ShareGround {
  readonly clock: ShareClock;
  readonly charged: (ms: number) => void;
  readonly isPressed: () => boolean;
  readonly mustWait: () => boolean;
  readonly wait: () => Promise<void>;
  readonly close: () => void;
}

/** What one workspace uses of its thread. */
export class ProcessorShare {
  readonly weight: number;
  /** What it may still use in this round; below 0 what it used too much. */
  deficitMs = 0;
  /** When it last used the thread, or asked for it. */
  usedAtMs = -Infinity;
  readonly #ground: ShareGround;
  #turnMs = 0;

  constructor(weight: number, ground: ShareGround) {
    this.weight = weight;
    this.#ground = ground;
  }

  /** Whether a heavier workspace is busy: then small batches are wanted, each of whose steps is short. */
  get isPressed(): boolean {
    return this.#ground.isPressed();
  }

  /** Counts work that was done. */
  charge(ms: number): void {
    this.deficitMs -= ms;
    this.#turnMs += ms;
    this.usedAtMs = this.#ground.clock.nowMs();
    this.#ground.charged(ms);
  }

  /** Does and counts work that waits for the database at times, and takes no longer than `msMax` itself. */
  async chargeFor<Result>(msMax: number, work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.#ground;
    const sinceMs = clock.nowMs();
    const result = await work();
    this.charge(Math.min(clock.nowMs() - sinceMs, msMax));
    return result;
  }

  /** Call it before every piece of work: resolves when it may begin. */
  async begin(): Promise<void> {
    if (!this.isOver()) return;
    await this.#ground.wait();
    this.#turnMs = 0;
  }

  /** Whether `begin` has to wait. */
  isOver(): boolean {
    return this.#turnMs >= turnMsMax || this.#ground.mustWait();
  }

  close(): void {
    this.#ground.close();
  }
}
