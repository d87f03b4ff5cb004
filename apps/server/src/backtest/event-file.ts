import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { writeFailure } from '../platform/observability/write-failure.ts';

/** A complete file. */
export interface WrittenEvents {
  readonly file: string;
  /** Events, without the line of names. */
  readonly lines: number;
  /** Of the file's bytes. */
  readonly sha256: string;
}

/**
 * A CSV file with one line for each event that was decided again and counted, in the order of the decisions. Readable by
 * its owner alone: it has a line for every event of every client.
 *
 * It is written beside its name (`.partial`) and renamed by `finish`, so a file with its name is always complete. An
 * older file with that name remains until then.
 */
export class EventFile {
  readonly #path: string;
  readonly #header: string;
  readonly #draft: string;
  readonly #hash = createHash('sha256');
  #lines = 0;
  #file: number | undefined;

  /** Creates nothing yet. @throws OperatorError if the file could not be written */
  constructor(path: string, columns: readonly string[]) {
    this.#path = path;
    this.#header = `${columns.join(',')}\n`;
    this.#draft = `${path}.partial`;
    // Checked before minutes of deciding: otherwise the first batch or the rename would fail.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw cannotBeWritten(path, 'it is a folder');
    this.#writing(() => accessSync(dirname(path), constants.W_OK));
  }

  /** Writes the lines of one batch, each with its end. @throws OperatorError if they cannot be written */
  add(lines: readonly string[]): void {
    this.#lines += lines.length;
    this.#write(lines.join(''));
  }

  /** Completes the file. @throws OperatorError if it cannot be written */
  finish(): WrittenEvents {
    this.#write('');
    this.#writing(() => {
      fsyncSync(this.#file!);
      renameSync(this.#draft, this.#path);
    });
    this.#close();
    return { file: this.#path, lines: this.#lines, sha256: this.#hash.digest('hex') };
  }

  /** Removes what was written, unless it was finished. */
  discard(): void {
    if (this.#file === undefined) return;
    this.#close();
    rmSync(this.#draft, { force: true });
  }

  #write(text: string): void {
    this.#writing(() => {
      if (this.#file === undefined) {
        // What a killed process left, possibly with other rights.
        rmSync(this.#draft, { force: true });
        this.#file = openSync(this.#draft, 'wx', 0o600);
        this.#append(this.#header);
      }
      if (text !== '') this.#append(text);
    });
  }

  #append(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    this.#hash.update(bytes);
    // A write to an almost full disk may take only a part; the next one then fails.
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file!, bytes, at);
  }

  #close(): void {
    closeSync(this.#file!);
    this.#file = undefined;
  }

  #writing(write: () => void): void {
    try {
      write();
    } catch (error) {
      const reason = writeFailure(error);
      throw reason === undefined ? error : cannotBeWritten(this.#path, reason, error);
    }
  }
}

function cannotBeWritten(path: string, reason: string, cause?: unknown): OperatorError {
  const mend = 'Name a file in a folder that exists, that this user may write to, on a disk with enough space.';
  return new OperatorError(`${path} cannot be written: ${reason}.`, mend, { cause });
}
