/**
 * Collapses repeated log lines, because what fails is retried again and again:
 *
 *   logged immediately --30 s--> no repetition: forgotten, the next one is logged immediately
 *                            \--> n repetitions: the last is logged with n, and another 30 s begin
 *
 * Failures caused by an unreachable database are counted together, in whichever part they are logged.
 * See docs/internals/ownership-and-outages.md.
 */
import { inspect } from 'node:util';
import { secondMs } from '@ringfence/contract';
import { isDatabaseUnavailable } from './database-unavailable.ts';
import { isErrorLike } from './serialize-error.ts';

/** A line that repeats within this time is counted. Ten parallel failures still log a line every 3 s. */
const countedMs = 30 * secondMs;
/**
 * Distinct lines that are tracked. A bad day has some twenty; lines with a request id or an address could be any
 * number.
 */
const apartMax = 100;
/** Limit for chains of causes, the same as in the log. */
const causesMax = 5;
/** Unlike JSON.stringify, `inspect` never throws. */
const inspected = { depth: causesMax, breakLength: Infinity };

interface LogLine {
  readonly level: number;
  readonly fields: object;
  readonly message: string;
}

/** Writes this at the level of the original line, in its place. */
type WriteLine = (fields: object, message: string) => void;

/** The clock for the 30 s. */
interface LineClock {
  nowMs(): number;
  /** Calls back once, after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

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

  constructor(clock: LineClock) {
    this.#clock = clock;
  }

  /** Writes a line, or counts it if the same line was written less than 30 s ago. */
  take(line: LogLine, write: WriteLine): void {
    const outage = outageLine(line);
    const key = outage?.message ?? this.#keyOf(line);
    const counted = this.#counted.get(key);
    if (counted === undefined) {
      write(line.fields, line.message);
      this.#count(key, line, write);
      return;
    }
    counted.repeats++;
    counted.lastAtMs = this.#clock.nowMs();
    counted.line = outage ?? line;
    counted.write = write;
  }

  /** Logs what was counted but not yet reported, at the end of the process. */
  sayAll(): void {
    for (const counted of this.#counted.values()) {
      counted.callOff();
      say(counted);
    }
    this.#counted.clear();
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

/** The common line of failures caused by an unreachable database; health checks log their own changes. */
function outageLine({ level, fields }: LogLine): LogLine | undefined {
  if ('check' in fields || !('err' in fields) || !isDatabaseUnavailable(fields.err)) return undefined;
  return { level, fields: { err: fields.err }, message: 'the database cannot be reached' };
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
