import { accessSync, closeSync, constants, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { csvLine } from '@ringfence/contract';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { RowRefusal } from './row-reader.ts';

/** How many lines were skipped for one reason. */
export interface LeftOutCount {
  readonly member: string;
  readonly reason: string;
  readonly lines: number;
}

/** Different reasons that are counted separately; all others are counted together. */
const reasonsMax = 1_000;
const bufferBytesMax = 64 * 1_024;

/**
 * The report of skipped lines: a CSV file with one row per mistake. It is created with the first skipped line, and
 * contains no value of any line.
 *
 * @throws OperatorError when its folder does not exist, or it can't be written
 */
export class LeftOut {
  /** Skipped lines, each counted once. */
  lines = 0;
  readonly #path: string;
  readonly #counts = new Map<string, { readonly member: string; readonly reason: string; lines: number }>();
  #file: number | undefined;
  #waiting = '';

  constructor(path: string) {
    this.#path = path;
    // Checked before hours of reading, not when the first line is skipped.
    writing(path, () => accessSync(dirname(path), constants.W_OK));
  }

  add(file: string, line: number, refusals: readonly RowRefusal[]): void {
    this.lines += 1;
    for (const { member, reason } of refusals) {
      this.#count(member, reason);
      this.#waiting += csvLine([file, String(line), member, reason]);
    }
    if (this.#waiting.length > bufferBytesMax) this.#flush();
  }

  /** The most frequent first. */
  counts(): readonly LeftOutCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.lines - a.lines || (a.member < b.member ? -1 : 1));
  }

  /** Writes buffered rows. Returns the path of the report; `undefined` when there is nothing to report. Idempotent. */
  close(): string | undefined {
    if (this.lines === 0) return undefined;
    if (this.#waiting !== '') this.#flush();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    return this.#path;
  }

  #count(member: string, reason: string): void {
    const isFull = this.#counts.size >= reasonsMax;
    const key = `${member}\0${reason}`;
    const known = this.#counts.get(key) ?? (isFull ? this.#counts.get('\0') : undefined);
    if (known !== undefined) known.lines += 1;
    else if (isFull) this.#counts.set('\0', { member: '', reason: 'other reasons', lines: 1 });
    else this.#counts.set(key, { member, reason, lines: 1 });
  }

  #flush(): void {
    const rows = this.#waiting;
    this.#waiting = '';
    writing(this.#path, () => {
      this.#file ??= openReport(this.#path);
      writeSync(this.#file, rows);
    });
  }
}

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    const { message } = cause as Error;
    throw new OperatorError(`The report ${path} cannot be written: ${message}.`, 'Nothing was imported.', { cause });
  }
}

/** Readable by its owner alone: it reveals the structure of a bank's files. */
function openReport(path: string): number {
  const file = openSync(path, 'w', 0o600);
  writeSync(file, 'file,line,member,reason\n');
  return file;
}
