/** A record of a file: one line, or several where a quoted cell goes on over the end of a line. */
export interface RawRecord {
  /** Of its first line, from 1. */
  readonly line: number;
  /** Without its line's end. `undefined`: it was longer than any event, and is skipped to the end of its first line. */
  readonly bytes: Buffer | undefined;
}

/** Longest record: an event has at most 64 KiB at the door, and a file says it in more words. */
export const recordBytesMax = 256 * 1_024;

const newline = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
/** Bytes behind a quote that tell whether it closes a cell: a delimiter, or a line's end. */
const lookAhead = 4;
const byteOrderMark = Buffer.from('\uFEFF');
const nothing = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into records, however it comes in pieces. Where quotes may enclose cells, a line's end within them
 * belongs to the cell (RFC 4180); a quote opens a cell only where one begins. A cell that is opened and never closed, or
 * closed before anything but its end, goes to the end of the line that it was opened in: it costs no other line. Empty lines
 * are left out. Holds at most one record and one piece.
 */
export class RecordSplitter {
  readonly #delimiter: Buffer | undefined;
  #rest: Buffer = nothing;
  /** Line that the rest begins with. */
  #line = 1;
  /** Within a line that is too long: up to its end, nothing is kept. */
  #isSkipping = false;

  /** `delimiter`: between cells; `undefined` where quotes mean nothing. */
  constructor({ delimiter }: { readonly delimiter: Buffer | undefined }) {
    this.#delimiter = delimiter;
  }

  push(piece: Buffer): readonly RawRecord[] {
    return this.#cut(this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]), false);
  }

  /** The last record, which may have no line's end. */
  end(): readonly RawRecord[] {
    return this.#cut(this.#rest, true);
  }

  #cut(bytes: Buffer, isEnd: boolean): readonly RawRecord[] {
    const records: RawRecord[] = [];
    let from = this.#isSkipping ? this.#skipLine(bytes, 0) : 0;
    while (from < bytes.length) {
      const ended = this.#recordEnd(bytes, from, isEnd);
      if (ended === undefined) {
        // Nothing more is known of it until the next piece comes, unless it is too long already.
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

  /** Where the record ends: its line's end, or the end of all. `undefined`: only what comes next can tell. */
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

  /** Goes on behind the end of the line, which may come with a later piece. */
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
  /** Over how many lines it goes. */
  readonly lines: number;
}

/** Of a byte order mark, which stands before the first cell of a file. */
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

/** Where a cell is closed, by a quote that is not one of two; `undefined` where that is not known, with what follows it. */
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
