import type { DecidedNotice } from '../../records/decided-notice.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Conclusion } from './read-conclusions.ts';

export const waitingLimits = {
  /** Requests that wait at a time. Each holds a connection of some 80 KiB: 160 MB. */
  perProcess: 2_000,
  /** Of one workspace, so that one that is not decided leaves room for others: 200 requests/s for the longest wait. */
  perWorkspace: 1_000,
};

/** How often whoever waits is looked for without a notice: one can be lost with its connection, or held back by a proxy. */
const lookEveryMs = 500;

export interface Waiting {
  readonly workspace: Workspace;
  readonly offset: number;
  readonly waitMs: number;
  /** Nobody is there any more to be answered. */
  readonly gone: AbortSignal;
}

export type Waited =
  | { readonly kind: 'decided'; readonly conclusion: Conclusion }
  /** `waited`: for as long as was asked. Else there was no room, the process stops, or nothing will ever be told. */
  | { readonly kind: 'pending'; readonly waited: boolean };

export interface WaitingRoomDeps {
  /** Conclusions that are committed; `undefined` for an event of which nothing will ever be told. */
  readonly read: (
    workspace: Workspace,
    offsets: readonly number[],
  ) => Promise<ReadonlyMap<number, Conclusion | undefined>>;
  /** Called when somebody waits: notices should come from now on. */
  readonly listen: () => void;
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<typeof waitingLimits>;
}

interface Waiter {
  readonly offset: number;
  readonly finish: (waited: Waited) => void;
}

/** Those who wait for decisions of one workspace. */
interface Bench {
  workspace: Workspace;
  readonly waiters: Set<Waiter>;
  isLooking: boolean;
  /** Something was heard during the look. */
  isDue: boolean;
}

/**
 * Where requests wait until their events are decided, by whichever process.
 *
 *     wait --> waiting --notice: decided beyond it--> look --found--> decided
 *      |          |                                    '--a login is awaited, a repeat's first is not decided--> waiting
 *      |          '--time is up, hung up, process stops--> pending
 *      '--no room--> pending
 *
 * One look serves all who wait in a workspace, and there is one at a time for each.
 */
export class WaitingRoom {
  readonly #deps: WaitingRoomDeps;
  readonly #limits: typeof waitingLimits;
  readonly #benches = new Map<string, Bench>();
  /** How far workspaces are decided, as it was last heard. */
  readonly #reached = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: WaitingRoomDeps) {
    this.#deps = deps;
    this.#limits = { ...waitingLimits, ...deps.limits };
  }

  /** How many wait now. */
  get size(): number {
    return this.#count;
  }

  /** Resolves when the event is decided and the decision is committed, or when that is not to be waited for. */
  wait(waiting: Waiting): Promise<Waited> {
    const { workspace, offset, waitMs, gone } = waiting;
    if (this.#isClosed || gone.aborted || !this.#hasRoom(workspace.id)) return Promise.resolve(notWaited);
    this.#deps.listen();
    return new Promise((resolve) => {
      const bench = this.#enter(workspace);
      const finish = (waited: Waited): void => {
        if (!bench.waiters.delete(waiter)) return;
        clearTimeout(timer);
        gone.removeEventListener('abort', hungUp);
        this.#leave(bench);
        resolve(waited);
      };
      const waiter: Waiter = { offset, finish };
      const timer = setTimeout(() => finish(timeIsUp), waitMs);
      const hungUp = (): void => finish(notWaited);
      gone.addEventListener('abort', hungUp);
      bench.waiters.add(waiter);
      if (this.#mayBeDecided(workspace.id, offset)) void this.#look(bench);
    });
  }

  /** A workspace is decided up to here. Said by this process at once, and a little later by the database's notice. */
  hear({ workspaceId, nextOffset }: DecidedNotice): void {
    if (nextOffset <= (this.#reached.get(workspaceId) ?? -1)) return;
    this.#reached.set(workspaceId, nextOffset);
    const bench = this.#benches.get(workspaceId);
    if (bench !== undefined) void this.#look(bench);
  }

  /** Answers all who wait, and whoever still comes, that their events are pending. */
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

  #enter(workspace: Workspace): Bench {
    const bench = this.#benches.get(workspace.id) ?? {
      workspace,
      waiters: new Set(),
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

  /** Before the first notice of a workspace nothing is known of it. */
  #mayBeDecided(workspaceId: string, offset: number): boolean {
    return offset < (this.#reached.get(workspaceId) ?? Number.POSITIVE_INFINITY);
  }

  /** Also those whom no notice has reached: it may have been lost. */
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
