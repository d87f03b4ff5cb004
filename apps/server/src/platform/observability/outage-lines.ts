/**
 * Collapses the log lines of a database outage. Some fifteen parts fail then, each several times a second and in
 * several ways:
 *
 *   logged immediately --30 s--> nothing came: forgotten
 *                            \--> others came: one line with the count of each message, and another 30 s begin
 */
import { isDatabaseUnavailable } from './database-unavailable.ts';
import { countedMs, type LineClock, type LogLine, type WriteLine } from './log-line.ts';
import { isErrorLike } from './serialize-error.ts';

interface Outage {
  /** Failures since the last line, by message. */
  readonly failed: Map<string, number>;
  /** Failures since the first line, by message. */
  readonly allFailed: Map<string, number>;
  last: LogLine & { readonly atMs: number };
  /** Writer of the most severe line. */
  write: WriteLine;
  level: number;
  readonly callOff: () => void;
}

export class OutageLines {
  readonly #clock: LineClock;
  #outage: Outage | undefined;

  constructor(clock: LineClock) {
    this.#clock = clock;
  }

  /** Writes or counts the line. @returns false if it is not part of an outage */
  take(line: LogLine, write: WriteLine): boolean {
    if (!this.#isOfOutage(line)) return false;
    const last = { ...line, atMs: this.#clock.nowMs() };
    const outage = this.#outage;
    if (outage === undefined) {
      write(line.fields, line.message);
      this.#begin({ failed: new Map(), allFailed: new Map(), last, write, level: line.level });
      add(this.#outage!.allFailed, line.message);
      return true;
    }
    add(outage.failed, line.message);
    add(outage.allFailed, line.message);
    outage.last = last;
    if (line.level >= outage.level) Object.assign(outage, { write, level: line.level });
    return true;
  }

  /** The database answers again. @returns the number of failures since it was lost, by message */
  end(): Readonly<Record<string, number>> {
    const outage = this.#outage;
    outage?.callOff();
    this.#outage = undefined;
    return Object.fromEntries(outage?.allFailed ?? []);
  }

  /** Logs what was counted but not yet reported, at the end of the process. */
  sayAll(): void {
    if (this.#outage !== undefined) say(this.#outage);
    this.end();
  }

  #begin(outage: Omit<Outage, 'callOff'>): void {
    const callOff = this.#clock.after(countedMs, () => this.#turn());
    this.#outage = { ...outage, callOff };
  }

  #turn(): void {
    const outage = this.#outage!;
    this.#outage = undefined;
    if (say(outage)) this.#begin({ ...outage, failed: new Map() });
  }

  /** Health checks log their own changes. During an outage, errors of the log without a cause are part of it. */
  #isOfOutage({ fields }: LogLine): boolean {
    if ('check' in fields || !('err' in fields) || !isErrorLike(fields.err)) return false;
    const { name, cause } = fields.err;
    if (this.#outage !== undefined && name === 'LogUnavailableError' && cause === undefined) return true;
    return isDatabaseUnavailable(fields.err);
  }
}

/** @returns whether a line was written */
function say({ failed, last, write }: Outage): boolean {
  if (failed.size === 0) return false;
  const { err } = last.fields as { readonly err: unknown };
  write({ err, failed: Object.fromEntries(failed), lastAt: new Date(last.atMs).toISOString() }, message);
  return true;
}

const message = 'the database cannot be reached; failures by message';

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
