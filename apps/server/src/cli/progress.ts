import type { CliIo } from './cli-io.ts';
import { grouped } from './print.ts';

/** Time between two updates of the line. */
const everyMs = 250;

/** A progress line on standard error; prints nothing if the output is not a terminal. */
export class Progress {
  readonly #io: CliIo;
  readonly #noun: string;
  readonly #sinceMs: number;
  #shownAtMs = -Infinity;
  #width = 0;

  /** @param noun what is counted, in the plural */
  constructor(io: CliIo, noun: string) {
    this.#io = io;
    this.#noun = noun;
    this.#sinceMs = io.now();
  }

  /** @param of the total; if it is unknown, the share done and the name of the whole, such as a file */
  show(done: number, of: number | { readonly share: number; readonly of: string }): void {
    const nowMs = this.#io.now();
    if (!this.#io.isTerminal || nowMs - this.#shownAtMs < everyMs) return;
    this.#shownAtMs = nowMs;
    const seconds = Math.max(0.001, (nowMs - this.#sinceMs) / 1_000);
    const share = typeof of === 'number' ? (of === 0 ? 1 : done / of) : of.share;
    const whole = typeof of === 'number' ? `of ${grouped(of)} ${this.#noun}` : `${this.#noun} of ${of.of}`;
    const left = share === 0 ? '' : `, ${Math.ceil(seconds / share - seconds)} s left`;
    const percent = Math.floor(share * 100);
    this.#write(`${grouped(done)} ${whole}, ${percent} %, ${grouped(Math.round(done / seconds))}/s${left}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#width > 0) this.#io.complain(`\r${' '.repeat(this.#width)}\r`);
    this.#width = 0;
  }

  #write(line: string): void {
    this.#io.complain(`\r${line.padEnd(this.#width)}`);
    this.#width = line.length;
  }
}
