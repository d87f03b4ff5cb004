/**
 * The position in the file of each character of a YAML scalar's value.
 *
 * Value and source are scanned together: YAML's own syntax (quotes, indentation, block headers) is skipped, an escape
 * sequence maps to its character, and a folded line end maps to the space that it became. That is done for the first
 * position: most texts have no mistake.
 *
 * @param range the scalar's first offset and the one after its value
 */
export function scalarPositions(
  source: string,
  range: readonly [number, number],
  value: string,
): (at: number) => number {
  let offsets: readonly number[] | undefined;
  return (at) => {
    offsets ??= offsetsOf(source, range, value);
    return offsets[at] ?? Math.min((offsets.at(-1) ?? range[0] - 1) + 1, range[1]);
  };
}

function offsetsOf(source: string, [start, end]: readonly [number, number], value: string): readonly number[] {
  const escapes = source[start] === '"';
  let offset = source[start] === '|' || source[start] === '>' ? lineAfter(source, start) : start;
  const offsets: number[] = [];
  for (const character of value) {
    if (escapes) offset = skipContinuation(source, offset);
    const escaped = escapes && source[offset] === '\\';
    const folded = character === ' ' && isLineEnd(source[offset]);
    if (!escaped && !folded) offset = Math.min(indexOf(source, offset, escapes ? [character, '\\'] : [character]), end);
    for (let unit = 0; unit < character.length; unit++) offsets.push(offset);
    offset += source[offset] === '\\' && escapes ? escapeLength(source, offset) : character.length;
  }
  return offsets;
}

/** The position of the first of these characters, or of its escape sequence. */
function indexOf(source: string, from: number, signs: readonly string[]): number {
  const found = signs.map((sign) => source.indexOf(sign, from)).filter((at) => at !== -1);
  return Math.min(source.length, ...found);
}

/** A backslash before a line end joins the lines, without the leading spaces of the next one. */
function skipContinuation(source: string, offset: number): number {
  const match = /^\\\r?\n[ \t]*/.exec(source.slice(offset, offset + continuationMax));
  return match === null ? offset : offset + match[0].length;
}

/** Deeper indentation is not handled: positions are then off by a few columns. */
const continuationMax = 200;

const escapeDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function escapeLength(source: string, offset: number): number {
  return 2 + (escapeDigits[source[offset + 1] ?? ''] ?? 0);
}

function lineAfter(source: string, offset: number): number {
  const lineEnd = source.indexOf('\n', offset);
  return lineEnd === -1 ? source.length : lineEnd + 1;
}

function isLineEnd(unit: string | undefined): boolean {
  return unit === '\n' || unit === '\r';
}
