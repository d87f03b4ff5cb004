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
const nothing = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into records, however it comes in pieces. With `quotes`, a line's end within an odd number of
 * `"` belongs to a cell (RFC 4180). Empty lines are left out. Holds at most one record and one piece.
 */
export class RecordSplitter {
  readonly #quotes: boolean;
  #rest: Buffer = nothing;
  /** Line that the rest begins with. */
  #line = 1;
  /** Within a line that is too long: up to its end, nothing is kept. */
  #isSkipping = false;

  constructor(options: { readonly quotes: boolean }) {
    this.#quotes = options.quotes;
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
      const { end, lines } = this.#recordEnd(bytes, from, isEnd);
      if (end === undefined) {
        // Nothing more is known of it until the next piece comes, unless it is too long already.
        if (bytes.length - from <= recordBytesMax) break;
        records.push({ line: this.#line, bytes: undefined });
        from = this.#skipLine(bytes, from);
      } else if (end - from > recordBytesMax) {
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

  /** Where the record ends (its line's end, or the end of all), and over how many lines it goes. */
  #recordEnd(
    bytes: Buffer,
    from: number,
    isEnd: boolean,
  ): { readonly end: number | undefined; readonly lines: number } {
    let isQuoted = false;
    let lines = 0;
    for (let start = from; ;) {
      const at = bytes.indexOf(newline, start);
      const end = at < 0 ? bytes.length : at;
      if (this.#quotes && hasOddQuotes(bytes.subarray(start, end))) isQuoted = !isQuoted;
      if (at < 0) return { end: isEnd ? end : undefined, lines: lines + 1 };
      lines++;
      if (!isQuoted) return { end, lines };
      if (end - from > recordBytesMax) return { end, lines };
      start = at + 1;
    }
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

function hasOddQuotes(line: Buffer): boolean {
  let isOdd = false;
  for (let at = line.indexOf(quote); at >= 0; at = line.indexOf(quote, at + 1)) isOdd = !isOdd;
  return isOdd;
}
