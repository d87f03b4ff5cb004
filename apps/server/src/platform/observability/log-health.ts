import { randomBytes } from 'node:crypto';
import type { EventLog, LogEntry } from '@ringfence/log';

/** How long every event may be refused: a stall is shorter, and under overload some events are stored. */
const refusingMsMax = 5_000;
/** After this long without an event, only a tick can show whether one would be stored. */
const quietMs = 5_000;
/**
 * Files of the database grow by pages of this size. A tick of two bytes fits into an existing page, but an event would
 * not.
 */
const pageBytes = 8_192;

interface LogHealthDeps {
  readonly log: Pick<EventLog, 'append'>;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
}

interface Refusing {
  readonly sinceMs: number;
  readonly workspaceId: string;
  /** Time of the last event. */
  readonly lastMs: number;
  readonly why: unknown;
  /** A tick was stored after the last event. */
  readonly isTried: boolean;
}

/**
 * Whether the log accepts events, judged by what happens to those that arrive: a database that answers may have a full
 * disk, or be a read-only standby. See docs/internals/log-and-time.md.
 *
 *   well --an event is refused--> refusing --5 s--> failed --no event for 5 s, and a tick is stored--> tried
 *    ^                               |                | ^                                                |
 *    \------ an event is stored -----+----------------+-+-- an event is refused -------------------------+
 *
 * `tried` counts as well: load balancers send requests again, and the first event shows whether events are stored.
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
   * Fails if events were refused for 5 s and none was stored since. Once no event arrives, every check appends a tick,
   * which changes nothing, until one is stored: load balancers send no events that would show it.
   *
   * @throws Error with the reason why nothing is stored
   */
  async isWell(): Promise<boolean> {
    const refusing = this.#refusing;
    const nowMs = this.#deps.monotonicMs();
    if (refusing === undefined || refusing.isTried || nowMs - refusing.sinceMs < refusingMsMax) return true;
    if (nowMs - refusing.lastMs < quietMs) throw new Error('every event is refused', { cause: refusing.why });
    await this.#deps.log.append(refusing.workspaceId, largeTick());
    // An event that was refused in the meantime is better evidence.
    if (this.#refusing === refusing) this.#refusing = { ...refusing, isTried: true };
    return this.#refusing === undefined || this.#refusing.isTried;
  }
}

/** A tick as large as an event. */
function largeTick(): LogEntry {
  return { kind: 'tick', payload: randomBytes(pageBytes) };
}
