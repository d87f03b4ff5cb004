/**
 * Collapses repeated log lines, because what fails is retried again and again:
 *
 *   logged immediately --30 s--> no repetition: forgotten, the next one is logged immediately
 *                            \--> n repetitions: the last is logged with n, and another 30 s begin
 *
 * Failures during a database outage are counted together: `outage-lines.ts`.
 * See docs/internals/ownership-and-outages.md.
 */
import { inspect } from 'node:util';
import { countedMs, type LineClock, type LogLine, type WriteLine } from './log-line.ts';
import { OutageLines } from './outage-lines.ts';
import { isErrorLike } from './serialize-error.ts';

/**
 * Distinct lines that are tracked. A bad day has some twenty; lines with a request id or an address could be any
 * number.
 */
const apartMax = 100;
/** Limit for chains of causes, the same as in the log. */
const causesMax = 5;
/** Unlike JSON.stringify, `inspect` never throws. */
const inspected = { depth: causesMax, breakLength: Infinity };

interface Counted {
  /** Repetitions that were not written. */
  repeats: number;
  lastAtMs: number;
  line: LogLine;
  write: WriteLine;
  readonly callOff: () => void;
}

export class RepeatedLines {
  readonly #clock: LineClock;
  readonly #counted = new Map<string, Counted>();
  readonly #outage: OutageLines;

  constructor(clock: LineClock) {
    this.#clock = clock;
    this.#outage = new OutageLines(clock);
  }

  /** Writes a line, or counts it if the same line was written less than 30 s ago. */
  take(line: LogLine, write: WriteLine): void {
    if (this.#outage.take(line, write)) return;
    const key = this.#keyOf(line);
    const counted = this.#counted.get(key);
    if (counted === undefined) {
      write(line.fields, line.message);
      this.#count(key, line, write);
      return;
    }
    counted.repeats++;
    counted.lastAtMs = this.#clock.nowMs();
    counted.line = line;
    counted.write = write;
  }

  /** The database answers again. @returns the number of failures during the outage, by message */
  endOutage(): Readonly<Record<string, number>> {
    return this.#outage.end();
  }

  /** Logs what was counted but not yet reported, at the end of the process. */
  sayAll(): void {
    for (const counted of this.#counted.values()) {
      counted.callOff();
      say(counted);
    }
    this.#counted.clear();
    this.#outage.sayAll();
  }

  #count(key: string, line: LogLine, write: WriteLine): void {
    const callOff = this.#clock.after(countedMs, () => this.#end(key));
    this.#counted.set(key, { repeats: 0, lastAtMs: this.#clock.nowMs(), line, write, callOff });
  }

  #end(key: string): void {
    const counted = this.#counted.get(key)!;
    this.#counted.delete(key);
    if (say(counted)) this.#count(key, counted.line, counted.write);
  }

  /**
   * The key under which equal lines are counted: the whole content, or only level and message once too many are
   * tracked.
   */
  #keyOf({ level, fields, message }: LogLine): string {
    const words = `${level} ${message}`;
    const content = Object.entries(fields).map(([name, value]) => `${name}=${contentOf(value)}`);
    const whole = [words, ...content].join('\n');
    return this.#counted.has(whole) || this.#counted.size < apartMax ? whole : words;
  }
}

/** @returns whether a line was written */
function say({ repeats, lastAtMs, line, write }: Counted): boolean {
  if (repeats > 0) write({ ...line.fields, repeats, lastAt: new Date(lastAtMs).toISOString() }, line.message);
  return repeats > 0;
}

/** Errors are compared without their stack, which differs by caller. */
function contentOf(value: unknown, depth = 0): string {
  if (!isErrorLike(value)) return inspect(value, inspected);
  const { name, code, message, cause } = value;
  const below = cause === undefined || depth === causesMax ? '' : ` < ${contentOf(cause, depth + 1)}`;
  return `${String(name)} ${String(code)} ${String(message)}${below}`;
}
