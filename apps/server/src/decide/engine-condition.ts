import { unreachable } from '@ringfence/contract';
import { DatabaseOutage } from './database-outage.ts';
import type { Where } from './host-deps.ts';
import type { ToldCondition } from './messages.ts';

/** What a deciding thread has told of itself, in any thread that it tells. */
export class EngineCondition {
  /** Where each workspace is decided; a missing one has not caught up yet. */
  readonly #where = new Map<string, Where>();
  readonly #standstill = new DatabaseOutage();
  #wasReady = false;

  hear(told: ToldCondition): void {
    switch (told.kind) {
      case 'ready':
        this.#where.set(told.workspaceId, told.where);
        return;
      case 'missed':
        this.#standstill.missed(told.need, { sinceMs: performance.now(), why: told.why });
        return;
      case 'found':
        this.#standstill.found(told.need);
        return;
      default:
        unreachable(told);
    }
  }

  /** It decided records of the workspace. */
  decided(workspaceId: string): void {
    this.#where.set(workspaceId, 'here');
  }

  /** See `EngineConditions.decides`. */
  decides(workspaceId: string): boolean {
    return this.#where.get(workspaceId) === 'here';
  }

  /** See `EngineConditions.isPaused`. */
  isPaused(workspaceIds: readonly string[]): boolean {
    return workspaceIds.some((id) => this.#where.get(id) === 'paused');
  }

  /** See `EngineConditions.isFailing`. */
  isFailing(workspaceIds: readonly string[]): boolean {
    return workspaceIds.some((id) => this.#where.get(id) === 'failing');
  }

  /** See `EngineConditions.isReady`. */
  isReady(workspaceIds: readonly string[]): boolean {
    this.#wasReady ||= workspaceIds.every((id) => this.#where.has(id));
    return this.#wasReady;
  }

  /** See `EngineConditions.checkMoving`. */
  checkMoving(): void {
    this.#standstill.check(performance.now());
  }
}

/** The same of all deciding threads of a process. */
export class EngineConditions {
  readonly #all: readonly EngineCondition[];

  constructor(all: readonly EngineCondition[]) {
    this.#all = all;
  }

  /** Whether the workspace is decided by this process. */
  decides(workspaceId: string): boolean {
    return this.#all.some((one) => one.decides(workspaceId));
  }

  /** Whether one of these workspaces waits for a policy that passes the checks. */
  isPaused(workspaceIds: readonly string[]): boolean {
    return this.#all.some((one) => one.isPaused(workspaceIds));
  }

  /** Whether the engine of one of these workspaces fails repeatedly for another reason than the database. */
  isFailing(workspaceIds: readonly string[]): boolean {
    return this.#all.some((one) => one.isFailing(workspaceIds));
  }

  /**
   * Whether each workspace has caught up once, here or elsewhere, or cannot, because its policy does not pass the
   * checks or its engine fails. A workspace created later starts a moment after, which is no reason to route the events
   * of the others to another process.
   */
  isReady(workspaceIds: readonly string[]): boolean {
    return this.#all.every((one) => one.isReady(workspaceIds));
  }

  /** @throws Error with the reason why this process does not decide */
  checkMoving(): void {
    for (const one of this.#all) one.checkMoving();
  }
}
