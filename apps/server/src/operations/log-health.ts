import type { EventLog } from '@ringfence/log';
import { tick } from '../host/tick.ts';

/** So long every event may be refused: a stall is shorter, and where too much comes at once some of it is stored. */
const refusingMsMax = 5_000;

interface LogHealthDeps {
  readonly log: Pick<EventLog, 'append'>;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
}

/**
 * Whether the log takes events, by what becomes of those that come: a database that answers may have a full disk, or be
 * a copy that only reads. See docs/decisions/0195-ready-means-that-events-are-stored.md.
 */
export class LogHealth {
  readonly #deps: LogHealthDeps;
  #refusing: { readonly sinceMs: number; readonly workspaceId: string } | undefined;

  constructor(deps: LogHealthDeps) {
    this.#deps = deps;
  }

  /** An event was stored. */
  stored(): void {
    this.#refusing = undefined;
  }

  /** An event of this workspace could not be stored. */
  refused(workspaceId: string): void {
    this.#refusing ??= { sinceMs: this.#deps.monotonicMs(), workspaceId };
  }

  /**
   * Well until events were refused for 5 s with none stored in between. Then a tick, which changes nothing, is appended
   * at every look until one is stored: whoever balances load sends no event by which it could be learned.
   *
   * @throws Error that says why nothing is stored
   */
  async isWell(): Promise<boolean> {
    const refusing = this.#refusing;
    if (refusing === undefined || this.#deps.monotonicMs() - refusing.sinceMs < refusingMsMax) return true;
    await this.#deps.log.append(refusing.workspaceId, tick);
    this.stored();
    return true;
  }
}
