import type { CliIo } from './cli-io.ts';

/** Between two writings: often enough to look alive. */
const everyMs = 250;

/** A line on standard error that tells a person how far the work is; nothing for anybody else. */
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

  /** @param of how many there are; left out where nobody knows */
  show(done: number, of?: number): void {
    const nowMs = this.#io.now();
    if (!this.#io.isTerminal || nowMs - this.#shownAtMs < everyMs) return;
    this.#shownAtMs = nowMs;
    const seconds = Math.max(0.001, (nowMs - this.#sinceMs) / 1_000);
    const perSecond = done / seconds;
    const parts = [
      of === undefined ? `${grouped(done)} ${this.#noun}` : `${grouped(done)} of ${grouped(of)} ${this.#noun}`,
      `${grouped(Math.round(perSecond))}/s`,
      ...(of === undefined || perSecond === 0 ? [] : [`${Math.ceil((of - done) / perSecond)} s left`]),
    ];
    this.#write(parts.join(', '));
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#width > 0) this.#io.complain(`\r${' '.repeat(this.#width)}\r`);
    this.#width = 0;
  }

  #write(line: string): void {
    this.#io.complain(`\r${line.padEnd(this.#width)}`);
    this.#width = line.length;
  }
}

/** `1234567` as `1,234,567`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
