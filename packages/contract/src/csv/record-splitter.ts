/** A record of a file: one line, or several when a quoted cell contains a line break. */
export interface RawRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** Without the line break. `undefined`: longer than any event; skipped to the end of its first line. */
  readonly bytes: Uint8Array | undefined;
}

/** Longest record: at ingest an event has at most 64 KiB, and files are more verbose. */
export const recordBytesMax = 256 * 1_024;

const newline = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
/** Bytes after a quote that show whether it closes a cell: a delimiter, or a line break. */
const lookAhead = 4;
const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);
const nothing = new Uint8Array();

/**
 * Splits a stream of bytes into records, whatever the sizes of its pieces. If quotes may enclose cells, a line break
 * within them belongs to the cell (RFC 4180); a quote opens a cell only at the cell's beginning. A cell that is never
 * closed, or followed by anything but a delimiter or line break, ends with the line in which it was opened, so that it
 * spoils no other line. Empty lines are skipped. Buffers at most one record and one piece.
 */
export class RecordSplitter {
  readonly #delimiter: Uint8Array | undefined;
  readonly #comment: number | undefined;
  #rest: Uint8Array = nothing;
  /** The line number at which the rest begins. */
  #line = 1;
  /** Within a line that is too long: its bytes are discarded up to its end. */
  #isSkipping = false;

  /**
   * `delimiter`: between cells, in the file's encoding; `undefined` when quotes have no meaning. `comment`: quotes have
   * no meaning in a line that begins with this byte.
   */
  constructor({ delimiter, comment }: { readonly delimiter: Uint8Array | undefined; readonly comment?: number }) {
    this.#delimiter = delimiter;
    this.#comment = comment;
  }

  push(piece: Uint8Array): readonly RawRecord[] {
    return this.#cut(this.#rest.length === 0 ? piece : joined(this.#rest, piece), false);
  }

  /** The last record, which may lack a line break. */
  end(): readonly RawRecord[] {
    return this.#cut(this.#rest, true);
  }

  #cut(bytes: Uint8Array, isEnd: boolean): readonly RawRecord[] {
    const records: RawRecord[] = [];
    let from = this.#isSkipping ? this.#skipLine(bytes, 0) : 0;
    while (from < bytes.length) {
      const ended = this.#recordEnd(bytes, from, isEnd);
      if (ended === undefined) {
        // The record may continue in the next piece, unless it is already too long.
        if (bytes.length - from <= recordBytesMax + lookAhead) break;
        records.push({ line: this.#line, bytes: undefined });
        from = this.#skipLine(bytes, from);
        continue;
      }
      const { end, lines } = ended;
      if (end - from > recordBytesMax) {
        records.push({ line: this.#line, bytes: undefined });
        from = this.#skipLine(bytes, from);
      } else {
        const until = bytes[end - 1] === carriageReturn && end > from ? end - 1 : end;
        if (until > from) records.push({ line: this.#line, bytes: bytes.subarray(from, until) });
        this.#line += lines;
        from = end + 1;
      }
    }
    this.#rest = isEnd ? nothing : joined(nothing, bytes.subarray(Math.min(from, bytes.length)));
    return records;
  }

  /** The end of the record: its line break, or the end of the stream. `undefined` when more bytes are needed. */
  #recordEnd(bytes: Uint8Array, from: number, isEnd: boolean): RecordEnd | undefined {
    let lines = 1;
    let end = lineEnd(bytes, from);
    const first = from + (this.#line === 1 && beginsWith(bytes, from, byteOrderMark) ? byteOrderMark.length : 0);
    if (this.#delimiter !== undefined && bytes[first] !== this.#comment) {
      for (let at = first; bytes.subarray(at, end).includes(quote);) {
        const opened = bytes.indexOf(quote, at);
        at = opened + 1;
        if (opened !== first && !beginsWith(bytes, opened - this.#delimiter.length, this.#delimiter)) continue;
        const closed = closedAt(bytes, at, isEnd);
        const isFar = (closed ?? bytes.length - lookAhead) - from > recordBytesMax;
        if (closed === undefined && !isEnd && !isFar) return undefined;
        if (closed === undefined || isFar) break;
        if (closed < end) {
          at = closed + 1;
          continue;
        }
        if (!isCellEnd(bytes, closed + 1, this.#delimiter)) break;
        lines += newlinesIn(bytes.subarray(opened, closed));
        at = closed + 1;
        end = lineEnd(bytes, at);
      }
    }
    return end < bytes.length || isEnd ? { end, lines } : undefined;
  }

  /** Continues after the end of the line, which may be in a later piece. */
  #skipLine(bytes: Uint8Array, from: number): number {
    const at = bytes.indexOf(newline, from);
    this.#isSkipping = at < 0;
    if (at < 0) return bytes.length;
    this.#line++;
    return at + 1;
  }
}

interface RecordEnd {
  readonly end: number;
  /** The number of lines that it spans. */
  readonly lines: number;
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(before.length + after.length);
  bytes.set(before);
  bytes.set(after, before.length);
  return bytes;
}

function beginsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  return wanted.every((byte, i) => bytes[at + i] === byte);
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(newline, from);
  return at < 0 ? bytes.length : at;
}

/**
 * The position of the closing quote, one that is not doubled; `undefined` when it or the bytes after it are missing.
 */
function closedAt(bytes: Uint8Array, from: number, isEnd: boolean): number | undefined {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 2)) {
    if (bytes[at + 1] === quote) continue;
    return isEnd || at + lookAhead < bytes.length ? at : undefined;
  }
  return undefined;
}

function isCellEnd(bytes: Uint8Array, at: number, delimiter: Uint8Array): boolean {
  const isLineEnd = at === bytes.length || bytes[at] === newline;
  const isBreak = bytes[at] === carriageReturn && (at + 1 === bytes.length || bytes[at + 1] === newline);
  return isLineEnd || isBreak || beginsWith(bytes, at, delimiter);
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
