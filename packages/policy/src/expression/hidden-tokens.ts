import { encodeUtf8 } from '../compile/functions/utf8.ts';
import { parseDuration } from '../values/duration.ts';
import type { Span } from './node.ts';

/*
 * Tokens that the CEL parser in use does not know. Each is replaced by a token of the same length that it does know, so
 * that all positions stay the same. The original token is then found by its position.
 *
 *   15m              ->  11u             CEL writes duration("15m"), people write 15m
 *   `content-type`   ->  Q_____________  a member whose name is not an identifier
 *   br"\d"           ->  b"___"          bytes, taken literally
 */

/** Longer than any duration below 10^6 days, and short enough to be an unsigned number of 64 bits. */
const literalLengthMax = 18;

/**
 * One token: a comment, a string (triple-quoted first), a quoted name, a word, or a number with the characters attached
 * to it.
 */
const tokens =
  /\/\/[^\n]*|(?:[rR]?[bB]|[bB]?[rR])?(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`[\w./ -]+`|[A-Za-z_]\w*|\d\w*/g;
const durationLike = /^\d+(?:ms|[dhms])(?:\d+(?:ms|[dhms]))*$/;
const rawBytes = /^(?:[rR][bB]|[bB][rR])("""|'''|"|')([^]*)\1$/;

export interface DurationLiteral extends Span {
  /** `undefined` if the units are out of order, or a number is too large. */
  readonly ms: number | undefined;
}

/** The text for CEL's parser, and the replaced tokens by their positions. */
export interface Hidden {
  readonly text: string;
  readonly durations: ReadonlyMap<number, DurationLiteral>;
  readonly names: ReadonlyMap<number, string>;
  readonly bytes: ReadonlyMap<number, Uint8Array>;
}

export function hideTokens(text: string): Hidden {
  const durations = new Map<number, DurationLiteral>();
  const names = new Map<number, string>();
  const bytes = new Map<number, Uint8Array>();
  const hidden = text.replace(tokens, (token, start: number) => {
    const { length } = token;
    if (token.startsWith('`')) {
      names.set(start, token.slice(1, -1));
      return `Q${'_'.repeat(length - 1)}`;
    }
    const [, quote, raw] = rawBytes.exec(token) ?? [];
    if (quote !== undefined && raw !== undefined) {
      bytes.set(start, encodeUtf8(raw));
      return `b${quote}${'_'.repeat(length - 1 - 2 * quote.length)}${quote}`;
    }
    if (!durationLike.test(token) || length > literalLengthMax) return token;
    durations.set(start, { start, end: start + length, ms: parseDuration(token) });
    return `${'1'.repeat(length - 1)}u`;
  });
  return { text: hidden, durations, names, bytes };
}

/** A sequence that the library converts to one byte: an escape, or a character, of which it keeps only the low byte. */
const byteTexts = /\\[xX][0-9a-fA-F]{2}|\\[0-7]{3}|\\.|[^\\]/gsu;

/** Bytes literals are in UTF-8: restores the bytes that the library drops from characters beyond ASCII. */
export function wholeBytes(literal: string, bytes: Uint8Array): Uint8Array {
  const inner = literal.replace(/^[bB]("""|'''|"|')([^]*)\1$/, '$2');
  if (!/[\u0080-\uffff]/.test(inner)) return bytes;
  const whole: number[] = [];
  let at = 0;
  for (const [text] of inner.matchAll(byteTexts)) {
    whole.push(...(text.startsWith('\\') ? bytes.slice(at, at + 1) : encodeUtf8(text)));
    // The library made two bytes of a surrogate pair.
    at += text.startsWith('\\') ? 1 : text.length;
  }
  return new Uint8Array(whole);
}
