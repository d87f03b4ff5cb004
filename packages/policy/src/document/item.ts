import { type JsonValue, NumberText } from '@ringfence/contract';
import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { numberInFull } from '../expression/number-in-full.ts';
import type { Expression, Span } from '../expression/node.ts';
import { parseExpression } from '../expression/parse.ts';
import type { Mistake, Report } from '../check/mistake.ts';
import { nearest } from '../check/nearest.ts';
import type { Params } from '../check/params.ts';
import type { Check } from './check.ts';
import type { Place, SourceFile } from './mistakes.ts';
import { scalarPositions } from './scalar-positions.ts';

/** An entry of a mapping. */
export interface Entry {
  readonly key: string;
  readonly keyItem: Item;
  readonly value: Item;
}

/** Words of other languages for the words of a policy. */
const synonyms: Readonly<Record<string, string>> = {
  average: 'avg',
  mean: 'avg',
  total: 'sum',
  maximum: 'max',
  minimum: 'min',
  unique: 'distinct',
  deviation: 'stddev',
  window: 'over',
  groupBy: 'by',
  filter: 'where',
  exclude: 'excluding',
  without: 'excluding',
  condition: 'when',
  if: 'when',
  id: 'reason',
  title: 'name',
};

/** The known name that was most likely meant. */
function meantBy<Name extends string>(key: string, known: readonly Name[]): Name | undefined {
  const near = nearest(key, known) ?? synonyms[nearest(key, Object.keys(synonyms)) ?? ''];
  return known.find((name) => name === near);
}

/** Within braces a comma ends a text, and its rest reads as a name without a value. */
function cutText(rest: string): readonly [message: string, suggestion: string] {
  return [
    `a text with a comma needs quotes within { }: it ends before ${rest}`,
    `'… , ${rest}', the whole text in quotes`,
  ];
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** YAML allows numbers that JSON does not, such as `0x1F`; only their value is kept. */
function scalarJson({ value, source = '' }: Scalar): JsonValue {
  const isWritten = typeof value === 'number' && jsonNumber.test(source) && source !== String(value);
  return isWritten ? new NumberText(source) : (value as JsonValue);
}

/** A text, and the position of each of its characters. */
export interface PlacedText {
  readonly text: string;
  readonly report: Report;
  /** The values of `params.name` in it. */
  readonly params: Params;
}

/**
 * A node of a policy file, read as the expected type. Each reader returns the value, or reports what was expected and
 * returns `undefined`.
 */
export class Item {
  readonly place: Place;
  readonly #node: Node | null;
  readonly #check: Check;

  constructor(node: unknown, place: Place, check: Check) {
    const known = node instanceof Object ? (node as Node) : null;
    this.#node = known;
    this.#check = check;
    this.place = known?.range ? { file: place.file, offset: known.range[0] } : place;
  }

  get file(): SourceFile {
    return this.place.file;
  }

  get line(): number {
    return this.file.position(this.place.offset).line;
  }

  fail(message: string, suggestion?: string): undefined {
    this.#check.mistakes.add(this.place, { message, suggestion });
    return undefined;
  }

  /** `payees.yaml, line 6`: for mistakes about two places. */
  get spot(): string {
    return `${this.file.path}, line ${this.line}`;
  }

  warn(message: string, suggestion?: string): void {
    this.#check.mistakes.add(this.place, { message, suggestion, severity: 'warning' });
  }

  /** Reads a required field, or reports that it is missing. */
  required<Value>(
    field: Item | undefined,
    missing: readonly [message: string, expected: string],
    read: (field: Item) => Value,
  ): Value | undefined {
    return field === undefined ? this.fail(...missing) : read(field);
  }

  /** Whether it is empty: `key:` alone, or null. */
  get empty(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null);
  }

  /** The values of `params.name` here. */
  get params(): Params {
    return this.#check.params;
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  /** Whether both have the same content, word for word. */
  equals(other: Item): boolean {
    return JSON.stringify(this.#node) === JSON.stringify(other.#node);
  }

  get isMapping(): boolean {
    return isMap(this.#node);
  }

  /** Entries of a mapping with free names. Keys are texts or numbers. */
  entries(what: string): readonly Entry[] | undefined {
    if (isAlias(this.#node)) return this.#refuseAlias();
    if (!isMap(this.#node)) return this.fail(`${what} is expected, not ${this.#kind}`, 'name: value, one on each line');
    const seen = new Map<string, Item>();
    return this.#node.items.map((pair) => {
      const keyItem = new Item(pair.key, this.place, this.#check);
      const key = keyItem.empty ? undefined : keyItem.word('a name', 'a text before the colon');
      if (keyItem.empty) keyItem.fail('a name is expected before the colon');
      const earlier = seen.get(key ?? '');
      if (key !== undefined && earlier !== undefined)
        keyItem.fail(
          ...(pair.value === null && this.#isFlow
            ? cutText(key)
            : ([`${key} appears here twice, first in line ${earlier.line}`, 'one of them'] as const)),
        );
      if (earlier === undefined) seen.set(key ?? '', keyItem);
      return { key: key ?? '', keyItem, value: new Item(pair.value, keyItem.place, this.#check) };
    });
  }

  /** Values of a mapping by their known names. Unknown names are reported with the nearest known one. */
  fields<Name extends string>(what: string, known: readonly Name[]): Partial<Record<Name, Item>> | undefined {
    const entries = this.entries(what);
    if (entries === undefined) return undefined;
    const fields: Partial<Record<Name, Item>> = {};
    const misspelt: [Name, Item][] = [];
    for (const { key, keyItem, value } of entries) {
      const name = known.find((candidate) => candidate === key);
      if (name !== undefined) fields[name] = value;
      else {
        const meant = meantBy(key, known);
        if (value.empty && meant === undefined && this.#isFlow) keyItem.fail(...cutText(key));
        else keyItem.fail(`${what} has no ${key}`, meant ?? `one of ${known.join(', ')}`);
        if (meant !== undefined) misspelt.push([meant, value]);
      }
    }
    // A misspelt field is read as the one that was meant, so that its own mistakes are reported and it is not reported
    // as missing.
    for (const [name, value] of misspelt) fields[name] ??= value;
    return fields;
  }

  /** Whether it is a mapping in braces. */
  get #isFlow(): boolean {
    return isMap(this.#node) && this.#node.flow === true;
  }

  /** Items of a list of at most `max`. */
  list(what: string, max: number): readonly Item[] | undefined {
    if (isAlias(this.#node)) return this.#refuseAlias();
    if (!isSeq(this.#node))
      return this.fail(`${what} is a list, not ${this.#kind}`, '[a, b], or lines that begin with "- "');
    const { items } = this.#node;
    if (items.length > max) return this.fail(`${what} has ${items.length} items`, `at most ${max}`);
    return items.map((item) => new Item(item, this.place, this.#check));
  }

  /** A text of 1 to `max` characters. */
  text(what: string, max: number): string | undefined {
    const scalar = this.#scalar(what, 'a text');
    if (scalar === undefined) return undefined;
    if (typeof scalar.value !== 'string') return this.fail(`${what} is a text`, `"${this.#source(scalar)}", in quotes`);
    if (scalar.value.length > max) return this.fail(`${what} has ${scalar.value.length} characters`, `at most ${max}`);
    return scalar.value.trim() === '' ? this.fail(`${what} is empty`, 'a text') : scalar.value;
  }

  /** A text exactly as written, whatever type YAML gives it: `+5s`, `15m`, `true`. */
  word(what: string, expected: string): string | undefined {
    const scalar = this.#scalar(what, expected);
    return scalar === undefined ? undefined : this.#source(scalar).trim();
  }

  /** A whole number. */
  integer(what: string, bounds: { readonly min: number; readonly max: number }): number | undefined {
    const isBounded = bounds.min > Number.MIN_SAFE_INTEGER;
    const expected = isBounded ? `a whole number from ${bounds.min} to ${bounds.max}` : 'a whole number';
    const scalar = this.#scalar(what, expected);
    if (scalar === undefined) return undefined;
    const { value } = scalar;
    const source = this.#source(scalar);
    const isFit = (number: number): boolean => Number.isInteger(number) && number >= bounds.min && number <= bounds.max;
    if (typeof value !== 'number' || !isFit(value)) {
      const meant = numberInFull(source);
      const quoted = meant === source ? `${meant}, without quotes` : meant;
      return this.fail(`${what} is ${source}`, isFit(Number(meant)) && typeof value === 'string' ? quoted : expected);
    }
    // YAML reads `1e3`, `0x10` and `007` as numbers that people would search for in another form.
    if (/[exo]|^[+-]?0\d/i.test(source)) this.warn(`${what} ${source} is ${value}`, String(value));
    return value;
  }

  /** One of a few words. */
  choice<Choice extends string>(what: string, choices: readonly Choice[]): Choice | undefined {
    const scalar = this.#scalar(what, `one of ${choices.join(', ')}`);
    if (scalar === undefined) return undefined;
    // YAML 1.2 reads `on` and `off` as texts, but people also write true and false for them.
    const word = this.#source(scalar);
    const choice = choices.find((candidate) => candidate === word);
    if (choice !== undefined) return choice;
    return this.fail(`${what} is never ${word}`, nearest(word, choices) ?? `one of ${choices.join(', ')}`);
  }

  /** The value of a scalar: text, number, true or false. */
  scalar(what: string): string | number | boolean | undefined {
    const scalar = this.#scalar(what, 'a text, a number, true or false');
    const value = scalar?.value;
    if (scalar === undefined || typeof value === 'string' || typeof value === 'boolean')
      return value as string | boolean | undefined;
    return typeof value === 'number'
      ? value
      : this.fail(`${what} is ${this.#source(scalar)}`, 'a text, a number, true or false');
  }

  /** A text whose characters have positions, for expressions and messages. */
  placed(what: string): PlacedText | undefined {
    const scalar = this.#scalar(what, 'a text');
    if (scalar === undefined) return undefined;
    const text = typeof scalar.value === 'string' ? scalar.value : this.#source(scalar);
    const [start, end] = scalar.range ?? [this.place.offset, this.place.offset];
    const offsetOf = scalarPositions(this.file.text, [start, end], text);
    const report = (mistake: Mistake & Span): void => {
      this.#check.mistakes.add({ file: this.file, offset: offsetOf(mistake.start) }, mistake);
    };
    return { text, report, params: this.#check.params };
  }

  /** A condition. */
  expression(what: string): { readonly node: Expression; readonly report: Report } | undefined {
    const placed = this.placed(what);
    const node = placed === undefined ? undefined : parseExpression(placed.text, placed.report);
    if (placed === undefined || node === undefined) return undefined;
    return { node: this.#check.params.fill(node, placed.report), report: placed.report };
  }

  /** The node at the end of a path, or the last existing one on the way. */
  at(path: readonly string[]): Item {
    const [name, ...rest] = path;
    const found = isMap(this.#node)
      ? this.#node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
      : undefined;
    return found === undefined
      ? this
      : new Item(found.value, new Item(found.key, this.place, this.#check).place, this.#check).at(rest);
  }

  /** The value as JSON, with the digits of its numbers as written: the body of a test's event. */
  json(): JsonValue {
    if (isAlias(this.#node)) return this.#refuseAlias() ?? null;
    if (isMap(this.#node)) {
      const entries = this.entries('a mapping') ?? [];
      return Object.fromEntries(entries.map(({ key, value }) => [key, value.json()]));
    }
    if (isSeq(this.#node)) return this.#node.items.map((item) => new Item(item, this.place, this.#check).json());
    return isScalar(this.#node) ? scalarJson(this.#node) : null;
  }

  #scalar(what: string, expected: string): Scalar | undefined {
    if (isAlias(this.#node)) return this.#refuseAlias();
    if (isScalar(this.#node) && typeof this.#node.value === 'string' && /[\0\ud800-\udfff]/u.test(this.#node.value))
      return this.fail(
        `${what} contains a character that can't be stored (NUL, or an unpaired surrogate)`,
        'remove it',
      );
    if (isScalar(this.#node) && this.#node.value !== null) return this.#node;
    return this.fail(this.empty ? `${what} is empty` : `${what} is not a list or a mapping`, expected);
  }

  /** The kind of value, for people. */
  get #kind(): string {
    if (isMap(this.#node)) return 'a mapping';
    if (isSeq(this.#node)) return 'a list';
    return this.empty || !isScalar(this.#node) ? 'nothing' : `the value ${this.#source(this.#node)}`;
  }

  #source(scalar: Scalar): string {
    return typeof scalar.value === 'string' ? scalar.value : (scalar.source ?? JSON.stringify(scalar.value));
  }

  /** Nested aliases of aliases expand without bound (a "billion laughs" document), and a policy does not need them. */
  #refuseAlias(): undefined {
    return this.fail("a policy can't use anchors and aliases", 'the text itself, without an anchor or alias');
  }
}
