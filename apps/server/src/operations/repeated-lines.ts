/**
 * Lines of the log that come again and again, because what fails is tried again and again:
 *
 *   said at once --30 s--> nothing came: forgotten, the next one is said at once
 *                     \--> it came n times: the last is said, with n, and 30 s begin anew
 *
 * See docs/decisions/0216-repeated-lines-are-counted.md.
 */
import { inspect } from 'node:util';
import { secondMs } from '@ringfence/contract';
import { isErrorLike } from './plain-error.ts';

/** Ten things that fail side by side make a line every 3 s. */
const countedMs = 30 * secondMs;
/** Lines that are told apart. An outage makes some twenty; what names a request or an address could make any number. */
const apartMax = 100;
/** Chains of causes are cut here, as they are in the log. */
const causesMax = 5;
/** Unlike JSON, it throws on nothing. */
const inspected = { depth: causesMax, breakLength: Infinity };

export interface LogLine {
  readonly level: number;
  readonly fields: object;
  readonly message: string;
}

/** Writes the line, with what is added to its fields. */
export type WriteLine = (added: object) => void;

interface Counted {
  /** Of which none was written. */
  repeats: number;
  lastAtMs: number;
  write: WriteLine;
  readonly callOff: () => void;
}

/** By which 30 s are counted. */
interface LineClock {
  nowMs(): number;
  /** Calls back once, after `delayMs`; the answer calls it off. */
  after(delayMs: number, callback: () => void): () => void;
}

export class RepeatedLines {
  readonly #clock: LineClock;
  readonly #counted = new Map<string, Counted>();

  constructor(clock: LineClock) {
    this.#clock = clock;
  }

  /** Writes a line, or counts it when its like was written less than 30 s ago. */
  take(line: LogLine, write: WriteLine): void {
    const key = this.#keyOf(line);
    const counted = this.#counted.get(key);
    if (counted === undefined) {
      write({});
      this.#count(key, write);
      return;
    }
    counted.repeats++;
    counted.lastAtMs = this.#clock.nowMs();
    counted.write = write;
  }

  /** Says what was counted and not said, at the end of the process. */
  sayAll(): void {
    for (const counted of this.#counted.values()) {
      counted.callOff();
      say(counted);
    }
    this.#counted.clear();
  }

  #count(key: string, write: WriteLine): void {
    const callOff = this.#clock.after(countedMs, () => this.#end(key));
    this.#counted.set(key, { repeats: 0, lastAtMs: this.#clock.nowMs(), write, callOff });
  }

  #end(key: string): void {
    const counted = this.#counted.get(key)!;
    this.#counted.delete(key);
    if (say(counted)) this.#count(key, counted.write);
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
function say({ repeats, lastAtMs, write }: Counted): boolean {
  if (repeats > 0) write({ repeats, lastAt: new Date(lastAtMs).toISOString() });
  return repeats > 0;
}

/** An error is what it says: its stack differs with who asked. */
function contentOf(value: unknown, depth = 0): string {
  if (!isErrorLike(value)) return inspect(value, inspected);
  const { name, code, message, cause } = value;
  const below = cause === undefined || depth === causesMax ? '' : ` < ${contentOf(cause, depth + 1)}`;
  return `${String(name)} ${String(code)} ${String(message)}${below}`;
}
