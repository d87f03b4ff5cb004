import type { DecidedNotice } from '../../records/decided-notice.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Conclusion } from './read-conclusions.ts';

export const waitingLimits = {
  /** Requests waiting at a time. Each keeps a connection of some 80 KiB open: 160 MB. */
  perProcess: 2_000,
  /** Per workspace, so that a stalled one leaves room for the others: 200 requests/s for the longest wait. */
  perWorkspace: 1_000,
};

/**
 * How often decisions are looked up without a notice: a notice can be lost with its connection, or delayed by a proxy.
 */
const lookEveryMs = 500;
/** A request waits only if its decision is expected this much sooner than it must have it: the forecast may err. */
const forecastMargin = 1.25;
/** How often the waiting requests of a workspace are judged again. */
const judgeEveryMs = 50;

export interface Waiting {
  readonly workspace: Workspace;
  readonly offset: number;
  readonly waitMs: number;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
}

export type Waited =
  | { readonly kind: 'decided'; readonly conclusion: Conclusion }
  /**
   * `waited`: the full time. `false` if the engine is too far behind, there was no room, the process is stopping, or no
   * conclusion will ever exist.
   */
  | { readonly kind: 'pending'; readonly waited: boolean };

export interface WaitingRoomDeps {
  /** Reads committed conclusions; `undefined` for an event that will never have one. */
  readonly read: (
    workspace: Workspace,
    offsets: readonly number[],
  ) => Promise<ReadonlyMap<number, Conclusion | undefined>>;
  /** When a record will be decided, in milliseconds from now; `undefined` if that cannot be known. */
  readonly expectedMs: (workspaceId: string, offset: number) => number | undefined;
  /** A request is answered before its time because its decision cannot be made in time. */
  readonly onHopeless: (workspaceId: string) => void;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<typeof waitingLimits>;
}

interface Waiter {
  readonly offset: number;
  /** On the monotonic clock. */
  readonly untilMs: number;
  readonly finish: (waited: Waited) => void;
}

/** The requests that wait for decisions of one workspace. */
interface Bench {
  workspace: Workspace;
  readonly waiters: Set<Waiter>;
  judgedAtMs: number;
  isLooking: boolean;
  /** A notice arrived during the lookup. */
  isDue: boolean;
}

/**
 * Holds requests until their events are decided, by any process.
 *
 *     wait --> waiting --notice: decided past it--> lookup --found--> decided
 *      |          |                                   '--waits for a login, or repeats an undecided event--> waiting
 *      |          '--timeout, disconnect, shutdown--> pending
 *      |          '--notice: not decided in time--> pending
 *      '--no room, or not decided in time--> pending
 *
 * One lookup serves all requests that wait in a workspace; each workspace runs one lookup at a time. A request that
 * cannot get its decision in time is answered at once, so that its sender goes on: when it comes, and while it waits.
 */
export class WaitingRoom {
  readonly #deps: WaitingRoomDeps;
  readonly #limits: typeof waitingLimits;
  readonly #benches = new Map<string, Bench>();
  /** The next offset to be decided per workspace, as last reported. */
  readonly #reached = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: WaitingRoomDeps) {
    this.#deps = deps;
    this.#limits = { ...waitingLimits, ...deps.limits };
  }

  /** Number of requests waiting now. */
  get size(): number {
    return this.#count;
  }

  /** Resolves when the decision is committed, or when there is nothing to wait for. */
  wait(waiting: Waiting): Promise<Waited> {
    const { workspace, offset, waitMs, gone } = waiting;
    if (this.#isClosed || gone.aborted || !this.#hasRoom(workspace.id)) return Promise.resolve(notWaited);
    if (this.#isHopeless(workspace.id, offset, waitMs / forecastMargin)) return Promise.resolve(notWaited);
    return new Promise((resolve) => {
      const bench = this.#enter(workspace);
      const finish = (waited: Waited): void => {
        if (!bench.waiters.delete(waiter)) return;
        clearTimeout(timer);
        gone.removeEventListener('abort', hungUp);
        this.#leave(bench);
        resolve(waited);
      };
      const waiter: Waiter = { offset, untilMs: this.#deps.monotonicMs() + waitMs, finish };
      const timer = setTimeout(() => finish(timeIsUp), waitMs);
      const hungUp = (): void => finish(notWaited);
      gone.addEventListener('abort', hungUp);
      bench.waiters.add(waiter);
      if (this.#mayBeDecided(workspace.id, offset)) void this.#look(bench);
    });
  }

  /** A workspace is decided up to here. This process reports it immediately, the database's notice a little later. */
  hear({ workspaceId, nextOffset }: DecidedNotice): void {
    if (nextOffset <= (this.#reached.get(workspaceId) ?? -1)) return;
    this.#reached.set(workspaceId, nextOffset);
    const bench = this.#benches.get(workspaceId);
    if (bench === undefined) return;
    void this.#look(bench);
    this.#judge(bench);
  }

  /** Answers all waiting requests, and all later ones, as pending. */
  close(): void {
    this.#isClosed = true;
    for (const bench of this.#benches.values()) {
      for (const waiter of bench.waiters) waiter.finish(notWaited);
    }
  }

  #hasRoom(workspaceId: string): boolean {
    const ofWorkspace = this.#benches.get(workspaceId)?.waiters.size ?? 0;
    return this.#count < this.#limits.perProcess && ofWorkspace < this.#limits.perWorkspace;
  }

  #isHopeless(workspaceId: string, offset: number, leftMs: number): boolean {
    const { expectedMs, onHopeless } = this.#deps;
    const isHopeless = (expectedMs(workspaceId, offset) ?? 0) > leftMs;
    if (isHopeless) onHopeless(workspaceId);
    return isHopeless;
  }

  #judge(bench: Bench): void {
    const nowMs = this.#deps.monotonicMs();
    if (nowMs - bench.judgedAtMs < judgeEveryMs) return;
    bench.judgedAtMs = nowMs;
    for (const { offset, untilMs, finish } of bench.waiters) {
      if (this.#isHopeless(bench.workspace.id, offset, untilMs - nowMs)) finish(notWaited);
    }
  }

  #enter(workspace: Workspace): Bench {
    const bench = this.#benches.get(workspace.id) ?? {
      workspace,
      waiters: new Set(),
      judgedAtMs: this.#deps.monotonicMs(),
      isLooking: false,
      isDue: false,
    };
    bench.workspace = workspace;
    this.#benches.set(workspace.id, bench);
    this.#count += 1;
    this.#timer ??= setInterval(() => this.#lookEverywhere(), lookEveryMs).unref();
    return bench;
  }

  #leave(bench: Bench): void {
    this.#count -= 1;
    if (bench.waiters.size === 0 && !bench.isLooking) this.#benches.delete(bench.workspace.id);
    if (this.#count > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Before the first notice of a workspace, every offset may be decided. */
  #mayBeDecided(workspaceId: string, offset: number): boolean {
    return offset < (this.#reached.get(workspaceId) ?? Number.POSITIVE_INFINITY);
  }

  /** Looks up all waiting events, including those without a notice: it may have been lost. */
  #lookEverywhere(): void {
    this.#reached.clear();
    for (const bench of this.#benches.values()) void this.#look(bench);
  }

  async #look(bench: Bench): Promise<void> {
    bench.isDue = true;
    if (bench.isLooking) return;
    bench.isLooking = true;
    while (bench.isDue && bench.waiters.size > 0) {
      bench.isDue = false;
      await this.#lookOnce(bench).catch(this.#deps.onError);
    }
    bench.isLooking = false;
    if (bench.waiters.size === 0) this.#benches.delete(bench.workspace.id);
  }

  async #lookOnce({ workspace, waiters }: Bench): Promise<void> {
    const asked = [...waiters].filter(({ offset }) => this.#mayBeDecided(workspace.id, offset));
    if (asked.length === 0) return;
    const conclusions = await this.#deps.read(workspace, [...new Set(asked.map(({ offset }) => offset))]);
    for (const { offset, finish } of asked) {
      if (!conclusions.has(offset)) continue;
      const conclusion = conclusions.get(offset);
      finish(conclusion === undefined ? notWaited : { kind: 'decided', conclusion });
    }
  }
}

const timeIsUp: Waited = { kind: 'pending', waited: true };
const notWaited: Waited = { kind: 'pending', waited: false };
