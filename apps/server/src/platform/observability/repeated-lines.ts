/**
 * Lines of the log that come again and again, because what fails is tried again and again:
 *
 *   said at once --30 s--> nothing came: forgotten, the next one is said at once
 *                     \--> it came n times: the last is said, with n, and 30 s begin anew
 *
 * What fails by a database that is away is counted together: `outage-lines.ts`.
 * See docs/internals/ownership-and-outages.md.
 */
import { inspect } from 'node:util';
import { countedMs, type LineClock, type LogLine, type WriteLine } from './log-line.ts';
import { OutageLines } from './outage-lines.ts';
import { isErrorLike } from './serialize-error.ts';

/** Lines that are told apart. A bad day makes some twenty; what names a request or an address could make any number. */
const apartMax = 100;
/** Chains of causes are cut here, as they are in the log. */
const causesMax = 5;
/** Unlike JSON, it throws on nothing. */
const inspected = { depth: causesMax, breakLength: Infinity };

interface Counted {
  /** Of which none was written. */
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

  /** Writes a line, or counts it when its like was written less than 30 s ago. */
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

  /** The database answers again. @returns how often what failed by it, by what was said */
  endOutage(): Readonly<Record<string, number>> {
    return this.#outage.end();
  }

  /** Says what was counted and not said, at the end of the process. */
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

  /** What lines have in common that are counted together: all that they say, or the words alone once too much is told apart. */
  #keyOf({ level, fields, message }: LogLine): string {
    const words = `${level} ${message}`;
    const content = Object.entries(fields).map(([name, value]) => `${name}=${contentOf(value)}`);
    const whole = [words, ...content].join('\n');
    return this.#counted.has(whole) || this.#counted.size < apartMax ? whole : words;
  }
}

/** @returns whether there was something to say */
function say({ repeats, lastAtMs, line, write }: Counted): boolean {
  if (repeats > 0) write({ ...line.fields, repeats, lastAt: new Date(lastAtMs).toISOString() }, line.message);
  return repeats > 0;
}

/** An error is what it says: its stack differs with who asked. */
function contentOf(value: unknown, depth = 0): string {
  if (!isErrorLike(value)) return inspect(value, inspected);
  const { name, code, message, cause } = value;
  const below = cause === undefined || depth === causesMax ? '' : ` < ${contentOf(cause, depth + 1)}`;
  return `${String(name)} ${String(code)} ${String(message)}${below}`;
}
