import { randomBytes } from 'node:crypto';
import type { EventLog, LogEntry } from '@ringfence/log';

/** So long every event may be refused: a stall is shorter, and where too much comes at once some of it is stored. */
const refusingMsMax = 5_000;
/** Without an event for so long, nothing but a tick tells whether one would be stored. */
const quietMs = 5_000;
/** Files of the database grow by pages of this size. A tick of two bytes finds room in one that is there: no event would. */
const pageBytes = 8_192;

interface LogHealthDeps {
  readonly log: Pick<EventLog, 'append'>;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
}

interface Refusing {
  readonly sinceMs: number;
  readonly workspaceId: string;
  /** Of the last event. */
  readonly lastMs: number;
  readonly why: unknown;
  /** A tick was stored after the last event. */
  readonly isTried: boolean;
}

/**
 * Whether the log takes events, by what becomes of those that come: a database that answers may have a full disk, or be
 * a copy that only reads. See docs/internals/log-and-time.md.
 *
 *   well --an event is refused--> refusing --5 s--> failed --no event for 5 s, and a tick is stored--> tried
 *    ^                               |                | ^                                                |
 *    \------ an event is stored -----+----------------+-+-- an event is refused -------------------------+
 *
 * Tried is well: whoever balances load sends again, and the first event says how it is.
 */
export class LogHealth {
  readonly #deps: LogHealthDeps;
  #refusing: Refusing | undefined;

  constructor(deps: LogHealthDeps) {
    this.#deps = deps;
  }

  /** An event was stored. */
  stored(): void {
    this.#refusing = undefined;
  }

  /** An event of this workspace could not be stored. */
  refused(workspaceId: string, why: unknown): void {
    const lastMs = this.#deps.monotonicMs();
    this.#refusing = { sinceMs: this.#refusing?.sinceMs ?? lastMs, workspaceId, lastMs, why, isTried: false };
  }

  /**
   * Fails while events were refused for 5 s and none was stored since. A tick, which changes nothing, is appended at
   * every look once no event comes, until one is stored: whoever balances load sends none by which it could be learned.
   *
   * @throws Error that says why nothing is stored
   */
  async isWell(): Promise<boolean> {
    const refusing = this.#refusing;
    const nowMs = this.#deps.monotonicMs();
    if (refusing === undefined || refusing.isTried || nowMs - refusing.sinceMs < refusingMsMax) return true;
    if (nowMs - refusing.lastMs < quietMs) throw new Error('every event is refused', { cause: refusing.why });
    await this.#deps.log.append(refusing.workspaceId, largeTick());
    // An event that was refused meanwhile knows better.
    if (this.#refusing === refusing) this.#refusing = { ...refusing, isTried: true };
    return this.#refusing === undefined || this.#refusing.isTried;
  }
}

/** A tick that takes the room of an event. */
function largeTick(): LogEntry {
  return { kind: 'tick', payload: randomBytes(pageBytes) };
}
