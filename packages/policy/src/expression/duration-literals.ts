import { parseDuration } from '../duration.ts';
import type { Span } from './node.ts';

/*
 * CEL writes duration("15m"); people write 15m. Before CEL's parser sees the text, each duration literal becomes an
 * unsigned literal of the same length (`1h30m` -> `1111u`), so that every position stays what it was. Unsigned numbers
 * mean nothing in a policy, so whatever comes out of the parser as one was a duration, or is a mistake.
 */

/** Longer than any duration below 10^6 days, and short enough to be an unsigned number of 64 bits. */
const literalLengthMax = 18;

/** One token: a comment, a string (triple-quoted first), a word, or a number with what sticks to it. */
const tokens =
  /\/\/[^\n]*|[rRbB]?(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\d\w*/g;
const durationLike = /^\d+(?:ms|[dhms])(?:\d+(?:ms|[dhms]))*$/;

export interface DurationLiteral extends Span {
  /** `undefined` when the units are not in order, or a number is too large. */
  readonly ms: number | undefined;
}

/** The text for CEL's parser, and the duration literals that stood in it, by where they begin. */
export function hideDurations(text: string): {
  readonly text: string;
  readonly durations: ReadonlyMap<number, DurationLiteral>;
} {
  const durations = new Map<number, DurationLiteral>();
  const hidden = text.replace(tokens, (token, start: number) => {
    if (!durationLike.test(token) || token.length > literalLengthMax) return token;
    durations.set(start, { start, end: start + token.length, ms: parseDuration(token) });
    return `${'1'.repeat(token.length - 1)}u`;
  });
  return { text: hidden, durations };
}
