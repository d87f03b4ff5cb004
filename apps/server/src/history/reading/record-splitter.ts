/** A record of a file: one line, or several when a quoted cell contains a line break. */
export interface RawRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** Without the line break. `undefined`: longer than any event; skipped to the end of its first line. */
  readonly bytes: Buffer | undefined;
}

/** Longest record: at ingest an event has at most 64 KiB, and files are more verbose. */
export const recordBytesMax = 256 * 1_024;

const newline = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
/** Bytes after a quote that show whether it closes a cell: a delimiter, or a line break. */
const lookAhead = 4;
const byteOrderMark = Buffer.from('\uFEFF');
const nothing = Buffer.alloc(0);

/**
 * Splits a stream of bytes into records, whatever the sizes of its pieces. If quotes may enclose cells, a line break
 * within them belongs to the cell (RFC 4180); a quote opens a cell only at the cell's beginning. A cell that is never
 * closed, or followed by anything but a delimiter or line break, ends with the line in which it was opened, so that it
 * spoils no other line. Empty lines are skipped. Buffers at most one record and one piece.
 */
export class RecordSplitter {
  readonly #delimiter: Buffer | undefined;
  #rest: Buffer = nothing;
  /** The line number at which the rest begins. */
  #line = 1;
  /** Within a line that is too long: its bytes are discarded up to its end. */
  #isSkipping = false;

  /** `delimiter`: between cells; `undefined` when quotes have no meaning. */
  constructor({ delimiter }: { readonly delimiter: Buffer | undefined }) {
    this.#delimiter = delimiter;
  }

  push(piece: Buffer): readonly RawRecord[] {
    return this.#cut(this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]), false);
  }

  /** The last record, which may lack a line break. */
  end(): readonly RawRecord[] {
    return this.#cut(this.#rest, true);
  }

  #cut(bytes: Buffer, isEnd: boolean): readonly RawRecord[] {
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
    this.#rest = isEnd ? nothing : Buffer.from(bytes.subarray(Math.min(from, bytes.length)));
    return records;
  }

  /** The end of the record: its line break, or the end of the stream. `undefined` when more bytes are needed. */
  #recordEnd(bytes: Buffer, from: number, isEnd: boolean): RecordEnd | undefined {
    let lines = 1;
    let end = lineEnd(bytes, from);
    if (this.#delimiter !== undefined) {
      const first = from + (this.#line === 1 ? markLength(bytes, from) : 0);
      for (let at = first; bytes.subarray(at, end).includes(quote);) {
        const opened = bytes.indexOf(quote, at);
        at = opened + 1;
        if (opened !== first && !isBehind(bytes, opened, this.#delimiter)) continue;
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
  #skipLine(bytes: Buffer, from: number): number {
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

/** The length of a byte order mark, which precedes the first cell of a file. */
function markLength(bytes: Buffer, from: number): number {
  return byteOrderMark.equals(bytes.subarray(from, from + byteOrderMark.length)) ? byteOrderMark.length : 0;
}

function lineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(newline, from);
  return at < 0 ? bytes.length : at;
}

function isBehind(bytes: Buffer, at: number, delimiter: Buffer): boolean {
  return at >= delimiter.length && delimiter.equals(bytes.subarray(at - delimiter.length, at));
}

/**
 * The position of the closing quote, one that is not doubled; `undefined` when it or the bytes after it are missing.
 */
function closedAt(bytes: Buffer, from: number, isEnd: boolean): number | undefined {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 2)) {
    if (bytes[at + 1] === quote) continue;
    return isEnd || at + lookAhead < bytes.length ? at : undefined;
  }
  return undefined;
}

function isCellEnd(bytes: Buffer, at: number, delimiter: Buffer): boolean {
  const isLineEnd = at === bytes.length || bytes[at] === newline;
  const isBreak = bytes[at] === carriageReturn && (at + 1 === bytes.length || bytes[at + 1] === newline);
  return isLineEnd || isBreak || delimiter.equals(bytes.subarray(at, at + delimiter.length));
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
