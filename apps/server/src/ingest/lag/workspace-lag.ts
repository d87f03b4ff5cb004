/** Where a workspace is, as the database has it. */
export interface ReadPosition {
  /** The offset behind the last decided record. */
  readonly decidedTo: number;
  /** The offset behind the last record of the log. */
  readonly end: number;
  /** How long the oldest undecided record has waited; 0 if there is none. */
  readonly lagMs: number;
}

/** Older figures of the speed count half after this time: longer than a pause for garbage or a checkpoint. */
const halfLifeMs = 1_000;
/** Time that was measured, weighted by age, before the speed counts as known: several batches. */
const measuredMsMin = 200;
/** While records wait, an engine that decides nothing for so long has stopped; a batch takes a tenth of it. */
const silentMs = 2_000;
/** Less than this is no backlog: after a stop the workspace has caught up. */
const caughtUpMs = 1_000;

/**
 * How far the engine is behind one workspace, and how fast it decides. Seen from a process that appends: it hears how far
 * the log has grown and how far it is decided. Pure arithmetic: the time, on a monotonic clock, is an argument.
 *
 * The lag is looked up in the times at which the log grew: the oldest undecided record arrived when the log grew past
 * what is decided. The speed is that of the batches that left at least as many records behind as they decided. Smaller
 * batches are slower, and would make a short burst look like an overload.
 *
 * ```
 *    decidedTo        decidedTo           log's end
 *  at the last notice   now          at the last notice
 * ─────────┼─────────────┼─────────────────┼──────────
 *          └──records────┴──────left───────┘   measured if left >= records
 * ```
 */
export class WorkspaceLag {
  #decidedTo: number;
  #end: number;
  /** The end of the log when a notice was last heard. */
  #endAtNotice: number;
  #noticeAtMs: number;
  readonly #arrivals = new ArrivalTimes();
  #measuredRecords = 0;
  #measuredMs = 0;
  /** The lag may come from a start, a takeover or a pause, until the workspace has caught up once. */
  #isExcused = true;

  constructor({ decidedTo, end, lagMs }: ReadPosition, nowMs: number) {
    this.#decidedTo = decidedTo;
    this.#end = Math.max(end, decidedTo);
    this.#endAtNotice = this.#end;
    this.#noticeAtMs = nowMs;
    if (decidedTo < end) this.#arrivals.assume(decidedTo, end, { fromMs: nowMs - lagMs, toMs: nowMs });
  }

  get decidedTo(): number {
    return this.#decidedTo;
  }

  get end(): number {
    return this.#end;
  }

  /** The log has grown to `end`. */
  grown(end: number, nowMs: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    this.#arrivals.add(end, nowMs);
  }

  /** Every record before `nextOffset` is decided. */
  decided(nextOffset: number, nowMs: number): void {
    if (nextOffset <= this.#decidedTo) return;
    if (this.isSilent(nowMs)) this.#stopped();
    else this.#measure(nextOffset, nowMs);
    this.#decidedTo = nextOffset;
    this.#end = Math.max(this.#end, nextOffset);
    this.#endAtNotice = this.#end;
    this.#noticeAtMs = nowMs;
    this.#arrivals.drop(nextOffset);
    if (this.lagMs(nowMs) < caughtUpMs) this.#isExcused = false;
  }

  /** How long the oldest undecided record has waited; 0 if there is none. */
  lagMs(nowMs: number): number {
    const oldestAtMs = this.#arrivals.oldestAtMs;
    return oldestAtMs === undefined ? 0 : Math.max(0, nowMs - oldestAtMs);
  }

  /** Whether records wait although nothing was decided for `ms`. */
  isSilent(nowMs: number, ms = silentMs): boolean {
    const oldestAtMs = this.#arrivals.oldestAtMs;
    return oldestAtMs !== undefined && nowMs - Math.max(oldestAtMs, this.#noticeAtMs) > ms;
  }

  /**
   * When the record at `offset` will be decided, in milliseconds from now. `undefined` if that cannot be known: there was
   * no backlog lately, or the engine has stopped.
   */
  expectedMs(offset: number, nowMs: number): number | undefined {
    if (this.#measuredMs < measuredMsMin || nowMs - this.#noticeAtMs > silentMs) return undefined;
    return (Math.max(0, offset + 1 - this.#decidedTo) * this.#measuredMs) / this.#measuredRecords;
  }

  /**
   * By how much an event that is sent now would exceed this wait, in milliseconds. `undefined` if it would not, or if the
   * backlog may come from a start, a takeover or a pause.
   */
  excessMs(waitMs: number, nowMs: number): number | undefined {
    if (this.isSilent(nowMs)) this.#stopped();
    const expectedMs = this.#isExcused ? undefined : this.expectedMs(this.#end, nowMs);
    return expectedMs === undefined || expectedMs <= waitMs ? undefined : expectedMs - waitMs;
  }

  #measure(nextOffset: number, nowMs: number): void {
    const tookMs = nowMs - this.#noticeAtMs;
    const share = 2 ** (-tookMs / halfLifeMs);
    this.#measuredRecords *= share;
    this.#measuredMs *= share;
    const records = nextOffset - this.#decidedTo;
    if (this.#endAtNotice - nextOffset < records) return;
    this.#measuredRecords += records;
    this.#measuredMs += tookMs;
  }

  #stopped(): void {
    this.#isExcused = true;
    this.#measuredRecords = 0;
    this.#measuredMs = 0;
  }
}

/** Times of growth that are kept apart: half of what the lag is stated in. */
const stepMs = 50;
/** Times kept. When there are more, two become one: a backlog of any age is known to 1/512 of its age. */
const stepsMax = 1_024;
/** Steps for a backlog that was found: its records are taken to have arrived evenly. */
const assumedSteps = 32;

interface Step {
  /** The log grew to here ... */
  end: number;
  /** ... from this time on. */
  readonly atMs: number;
}

/** When the undecided records of a log arrived: the times at which it grew, oldest first. */
class ArrivalTimes {
  #steps: Step[] = [];
  #widthMs = stepMs;

  /** When the oldest undecided record arrived; `undefined` if there is none. */
  get oldestAtMs(): number | undefined {
    return this.#steps[0]?.atMs;
  }

  add(end: number, atMs: number): void {
    const last = this.#steps.at(-1);
    if (last !== undefined && atMs - last.atMs < this.#widthMs) {
      last.end = end;
      return;
    }
    if (this.#steps.length === stepsMax) this.#coarsen();
    this.#steps.push({ end, atMs });
  }

  assume(from: number, to: number, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): void {
    for (let step = 0; step < assumedSteps; step++) {
      const end = Math.ceil(from + ((to - from) * (step + 1)) / assumedSteps);
      this.#steps.push({ end, atMs: fromMs + ((toMs - fromMs) * step) / assumedSteps });
    }
  }

  /** The records before `offset` are decided. */
  drop(offset: number): void {
    const first = this.#steps.findIndex(({ end }) => end > offset);
    if (first === -1) {
      this.#steps.length = 0;
      this.#widthMs = stepMs;
    } else if (first > 0) this.#steps.splice(0, first);
  }

  #coarsen(): void {
    this.#widthMs *= 2;
    this.#steps = this.#steps.flatMap((step, i) =>
      i % 2 === 0 ? { end: this.#steps[i + 1]?.end ?? step.end, atMs: step.atMs } : [],
    );
  }
}
