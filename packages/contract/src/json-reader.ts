import { pointerOf } from './json-pointer.ts';
import { type JsonValue, NumberText } from './json-value.ts';
import type { FieldError } from './problem.ts';

/** The deepest nesting of objects and arrays. The deepest event has three levels; a thousand could overflow a stack. */
export const jsonDepthMax = 8;
/**
 * Keys in the whole text. An event has 40 of its own; the rest is for `transaction.details` and members that the sender
 * adds.
 */
export const jsonKeysMax = 256;

/** Aborts parsing at any depth; `parseJson` converts it to a value. */
export class JsonRefusal extends Error {
  readonly field: FieldError;

  constructor(field: FieldError) {
    super(field.detail);
    this.field = field;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const point = 0x2e;

/** Whole numbers of up to 15 digits are exact. */
const safeDigits = 15;

/**
 * A cache of recent keys, indexed by a hash of their characters: reusing the string object avoids an allocation. Each
 * slot keeps the last key with its hash, which bounds the cache.
 */
const keySlots = 1_024;
const keptKeyLengthMax = 64;
const keyCache: string[] = Array.from({ length: keySlots }, () => '');

/** Returns V8's internalized copy of the key. A slice would keep the whole text in memory. */
function interned(key: string): string {
  return Object.keys({ [key]: 0 })[0]!;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Parses one text from start to end. `at` is the next character. */
export class JsonReader {
  private readonly text: string;
  private at: number;
  private depth = 0;
  private keys = 0;
  /** Key or index of the current member at each depth, `undefined` for none; entries beyond `depth` are stale. */
  private readonly path: (string | number | undefined)[] = [];

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  /** Parses one value with the surrounding white space; afterwards `position` is at its end. */
  readOne(): JsonValue {
    const value = this.readValue(this.nextCode());
    this.nextCode();
    return value;
  }

  get position(): number {
    return this.at;
  }

  /** Parses one value and refuses anything after it. */
  readAll(): JsonValue {
    const value = this.readOne();
    if (this.at < this.text.length) this.refuse('There is text after the JSON value', 'the end of the text');
    return value;
  }

  /** Skips white space. NaN at the end of the text. */
  private nextCode(): number {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = this.text.charCodeAt(++this.at);
    return code;
  }

  private readValue(code: number): JsonValue {
    switch (code) {
      case quote:
        return this.readString();
      case openBrace:
        return this.readObject();
      case openBracket:
        return this.readArray();
      case 0x74:
        return this.readWord('true', true);
      case 0x66:
        return this.readWord('false', false);
      case 0x6e:
        return this.readWord('null', null);
      default:
        if (code === minus || (code >= zero && code <= nine)) return this.readNumber();
        return this.refuse('There is no JSON value', 'a JSON value');
    }
  }

  private readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.refuse('There is no JSON value', 'a JSON value');
    this.at += word.length;
    return value;
  }

  private enter(): void {
    if (++this.depth > jsonDepthMax) {
      this.depth--;
      this.refuse('The value is nested too deeply', `at most ${jsonDepthMax} levels of objects and arrays`);
    }
    this.path[this.depth - 1] = undefined;
    this.at++;
  }

  private readObject(): JsonValue {
    this.enter();
    const object: Record<string, JsonValue> = {};
    let code = this.nextCode();
    while (code !== closeBrace) {
      if (code !== quote) this.refuseWhole('There is no member name', 'a name in double quotes');
      const key = this.readKey();
      this.path[this.depth - 1] = key;
      if (++this.keys > jsonKeysMax)
        this.refuse('There are too many members', `at most ${jsonKeysMax} in the whole body`);
      if (key === '__proto__') this.refuse('This member name is not allowed', 'a name other than __proto__');
      // The plain look-up comes first because it is cheap; it may also find a method that all objects inherit.
      if (object[key] !== undefined && Object.hasOwn(object, key))
        this.refuse('This member is a duplicate', 'each member once');
      if (this.nextCode() !== colon) this.refuse('There is no colon after the member name', ':');
      this.at++;
      object[key] = this.readValue(this.nextCode());
      code = this.nextCode();
      if (code === comma) {
        this.at++;
        code = this.nextCode();
        if (code === closeBrace) this.refuseWhole('There is a comma before the closing brace', 'a member');
      } else if (code !== closeBrace) this.refuse('The object is incomplete', ', or }');
    }
    this.at++;
    this.depth--;
    return object;
  }

  private readArray(): JsonValue {
    this.enter();
    const values: JsonValue[] = [];
    let code = this.nextCode();
    while (code !== closeBracket) {
      this.path[this.depth - 1] = values.length;
      values.push(this.readValue(code));
      code = this.nextCode();
      if (code === comma) {
        this.at++;
        code = this.nextCode();
        if (code === closeBracket) this.refuseWhole('There is a comma before the closing bracket', 'a value');
      } else if (code !== closeBracket) this.refuse('The array is incomplete', ', or ]');
    }
    this.at++;
    this.depth--;
    return values;
  }

  private readKey(): string {
    const { text } = this;
    const start = this.at + 1;
    let hash = 0;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.at = at + 1;
        if (at - start > keptKeyLengthMax) return text.slice(start, at);
        const slot = hash & (keySlots - 1);
        const cached = keyCache[slot]!;
        if (cached.length === at - start && text.startsWith(cached, start)) return cached;
        return (keyCache[slot] = interned(text.slice(start, at)));
      }
      if (code === backslash || !(code >= 0x20)) return this.readEscapedKey();
      hash = (hash * 31 + code) | 0;
    }
  }

  private readEscapedKey(): string {
    // An error in a name belongs to its object: the previous member is valid.
    this.path[this.depth - 1] = undefined;
    return this.readEscapedString();
  }

  private readString(): string {
    const { text } = this;
    const start = this.at + 1;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === backslash || !(code >= 0x20)) return this.readEscapedString();
    }
  }

  /** Parses a string with escapes, or one with an error. */
  private readEscapedString(): string {
    let value = '';
    let start = ++this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === quote) break;
      if (Number.isNaN(code)) this.refuse('A string is not terminated', 'a closing double quote');
      if (code === 0) this.refuse('A string contains the character NUL', 'text without NUL');
      if (code < 0x20) this.refuse('A string contains a control character', 'control characters written as escapes');
      if (code !== backslash) {
        this.at++;
        continue;
      }
      value += this.text.slice(start, this.at) + this.readEscape();
      start = this.at;
    }
    value += this.text.slice(start, this.at);
    if (!value.isWellFormed()) this.refuse('A string contains a lone surrogate', 'surrogates in pairs');
    this.at++;
    return value;
  }

  private readEscape(): string {
    const letter = this.text.charAt(this.at + 1);
    if (letter === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.refuse('An escape is incomplete', '\\u and four hexadecimal digits');
      if (digits === '0000') this.refuse('A string contains the character NUL', 'text without NUL');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const plain = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (plain === undefined)
      return this.refuse('There is no such escape', 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u');
    this.at += 2;
    return plain;
  }

  private readNumber(): number | NumberText {
    const { text } = this;
    const start = this.at;
    const first = text.charCodeAt(start) === minus ? start + 1 : start;
    let at = first;
    let whole = 0;
    let code = text.charCodeAt(at);
    while (code >= zero && code <= nine) {
      whole = whole * 10 + (code - zero);
      code = text.charCodeAt(++at);
    }
    const leadingZero = at - first > 1 && text.charCodeAt(first) === zero;
    if (at === first || leadingZero) this.refuse('This is not a JSON number', 'digits without leading zeros');
    if (code !== point && code !== 0x65 && code !== 0x45 && at - first <= safeDigits) {
      this.at = at;
      if (first === start) return whole;
      return whole === 0 ? new NumberText('-0') : -whole;
    }
    if (code === point) at = this.digitsEnd(at + 1);
    code = text.charCodeAt(at);
    if (code === 0x65 || code === 0x45) {
      const sign = text.charCodeAt(at + 1);
      at = this.digitsEnd(sign === minus || sign === 0x2b ? at + 2 : at + 1);
    }
    this.at = at;
    const digits = text.slice(start, at);
    const double = Number(digits);
    return String(double) === digits ? double : new NumberText(digits);
  }

  /** The end of the digits that start at `at`; at least one is required. */
  private digitsEnd(at: number): number {
    let end = at;
    let code = this.text.charCodeAt(end);
    while (code >= zero && code <= nine) code = this.text.charCodeAt(++end);
    if (end === at) this.refuse('This is not a JSON number', 'a digit');
    return end;
  }

  /** Refuses the object or array that is being parsed, not one of its members. */
  private refuseWhole(what: string, expected: string): never {
    this.path[this.depth - 1] = undefined;
    this.refuse(what, expected);
  }

  /** Errors contain positions, never characters: they may be logged where the body must not be. */
  private refuse(what: string, expected: string): never {
    const where = this.at >= this.text.length ? 'at the end of the text' : `at character ${this.at + 1}`;
    const parts = this.path.slice(0, this.depth).filter((part) => part !== undefined);
    throw new JsonRefusal({ pointer: pointerOf(parts), detail: `${what}, ${where}.`, expected });
  }
}
