import { pointerOf } from './json-pointer.ts';
import { type JsonValue, NumberText } from './json-value.ts';
import type { FieldError } from './problem.ts';

/** Objects and arrays inside each other. The deepest event has three levels; a thousand would overflow someone's stack. */
export const jsonDepthMax = 8;
/** Keys in the whole text. An event has 40 of its own; what is beyond is `transaction.details` and a sender's additions. */
export const jsonKeysMax = 256;

/** Leaves the reader from any depth; `parseJson` makes a value of it. */
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

/** Whole numbers of so many digits are exact. */
const safeDigits = 15;

/**
 * Keys that were read lately, by a hash of their characters: the same string object is used again, so that nothing
 * is allocated. A slot holds the last key that fell into it, hence the bound.
 */
const keySlots = 1_024;
const keptKeyLengthMax = 64;
const keyCache: string[] = Array.from({ length: keySlots }, () => '');

/** The same key as V8 keeps names of properties: by itself, where a slice would hold on to the text it was cut from. */
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

/** Reads one text from its start to its end. `at` is the next character to look at. */
export class JsonReader {
  private readonly text: string;
  private at: number;
  private depth = 0;
  private keys = 0;
  /** Key or index of the member being read, by depth, `undefined` where there is none; what lies beyond `depth` is stale. */
  private readonly path: (string | number | undefined)[] = [];

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  /** One value, with the white space around it; `position` is where that ends. */
  readOne(): JsonValue {
    const value = this.readValue(this.nextCode());
    this.nextCode();
    return value;
  }

  get position(): number {
    return this.at;
  }

  /** One value, and nothing after it. */
  readAll(): JsonValue {
    const value = this.readOne();
    if (this.at < this.text.length) this.refuse('Something follows the JSON value', 'the end of the text');
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
      this.refuse('The value is nested too deep', `at most ${jsonDepthMax} levels of objects and arrays`);
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
      // The look-up comes first because it is cheap; it may hit a method that all objects have.
      if (object[key] !== undefined && Object.hasOwn(object, key))
        this.refuse('This member came before', 'each member once');
      if (this.nextCode() !== colon) this.refuse('There is no colon after the member name', ':');
      this.at++;
      object[key] = this.readValue(this.nextCode());
      code = this.nextCode();
      if (code === comma) {
        this.at++;
        code = this.nextCode();
        if (code === closeBrace) this.refuseWhole('A comma stands before the closing brace', 'a member');
      } else if (code !== closeBrace) this.refuse('The object does not go on', ', or }');
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
        if (code === closeBracket) this.refuseWhole('A comma stands before the closing bracket', 'a value');
      } else if (code !== closeBracket) this.refuse('The array does not go on', ', or ]');
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
    // What is wrong with a name is wrong with its object: the member before it is right.
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

  /** A string with escapes, or one that can't be read. */
  private readEscapedString(): string {
    let value = '';
    let start = ++this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === quote) break;
      if (Number.isNaN(code)) this.refuse('A string does not end', 'a closing double quote');
      if (code === 0) this.refuse('A string holds the character NUL', 'text without NUL');
      if (code < 0x20) this.refuse('A string holds a control character', 'control characters written as escapes');
      if (code !== backslash) {
        this.at++;
        continue;
      }
      value += this.text.slice(start, this.at) + this.readEscape();
      start = this.at;
    }
    value += this.text.slice(start, this.at);
    if (!value.isWellFormed()) this.refuse('A surrogate stands alone', 'surrogates in pairs');
    this.at++;
    return value;
  }

  private readEscape(): string {
    const letter = this.text.charAt(this.at + 1);
    if (letter === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.refuse('An escape is not complete', '\\u and four hexadecimal digits');
      if (digits === '0000') this.refuse('A string holds the character NUL', 'text without NUL');
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
    if (at === first || leadingZero) this.refuse('This is no number of JSON', 'digits without leading zeros');
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

  /** Where the digits that begin at `at` end; at least one is needed. */
  private digitsEnd(at: number): number {
    let end = at;
    let code = this.text.charCodeAt(end);
    while (code >= zero && code <= nine) code = this.text.charCodeAt(++end);
    if (end === at) this.refuse('This is no number of JSON', 'a digit');
    return end;
  }

  /** Refuses the object or array that is being read, and none of its members. */
  private refuseWhole(what: string, expected: string): never {
    this.path[this.depth - 1] = undefined;
    this.refuse(what, expected);
  }

  /** Positions are given, never characters: a refusal may be logged where the body must not be. */
  private refuse(what: string, expected: string): never {
    const where = this.at >= this.text.length ? 'at the end of the text' : `at character ${this.at + 1}`;
    const parts = this.path.slice(0, this.depth).filter((part) => part !== undefined);
    throw new JsonRefusal({ pointer: pointerOf(parts), detail: `${what}, ${where}.`, expected });
  }
}
