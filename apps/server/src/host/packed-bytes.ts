/**
 * Many byte strings as one: a single binary parameter, cut apart in SQL by `substring(blob from start for length)`.
 * An array of bytea would travel as hexadecimal text, twice the size and many times the work.
 */
export interface PackedBytes {
  readonly blob: Buffer;
  /** 1-based, as SQL counts. */
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

export function packBytes(parts: readonly Uint8Array[]): PackedBytes {
  const starts: number[] = [];
  const lengths: number[] = [];
  let at = 1;
  for (const part of parts) {
    starts.push(at);
    lengths.push(part.length);
    at += part.length;
  }
  return { blob: Buffer.concat(parts), starts, lengths };
}
