/**
 * The part of PromQL that our alert rules and dashboards use, for tests on machines without Prometheus: selectors,
 * ranges, `sum`, `max` and `min` with `by`, arithmetic, comparisons, `and on`, and the functions below. Anything else
 * throws. Ranges are not extrapolated: at one sample a minute an increase is that of the samples.
 */

export type Labels = Readonly<Record<string, string>>;

/** One series with a sample for each minute, from 0; `undefined`: it is missing then. */
export interface Series {
  readonly name: string;
  readonly labels: Labels;
  readonly at: (minute: number) => number | undefined;
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

interface Matcher {
  readonly label: string;
  readonly how: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** A metric that an expression names, with the labels that it asks for. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** A range, as in `[5m]`; `undefined`: the newest sample. */
  readonly minutes: number | undefined;
}

export type Query =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'select'; readonly select: Selector }
  | {
      readonly kind: 'aggregate';
      readonly how: 'sum' | 'max' | 'min';
      readonly by: readonly string[];
      readonly of: Query;
    }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Query[] }
  | {
      readonly kind: 'binary';
      readonly how: string;
      readonly on: readonly string[];
      readonly sides: readonly [Query, Query];
    };

const token =
  /\s*(?:(?<word>[a-zA-Z_:][\w:]*)|(?<number>\d+(?:\.\d+)?)|(?<text>"[^"]*")|(?<range>\[\d+[smh]\])|(?<sign>=~|!~|==|!=|>=|<=|[-+*/<>=(){},]))/y;
const precedence: Readonly<Record<string, number>> = {
  and: 1,
  ...Object.fromEntries(['==', '!=', '>', '<', '>=', '<='].map((sign) => [sign, 2])),
  '+': 3,
  '-': 3,
  '*': 4,
  '/': 4,
};
const aggregations = ['sum', 'max', 'min'] as const;
const unitMinutes: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60 };

/** @throws Error for what is not in the part above */
export function parseQuery(text: string): Query {
  const parser = new Parser(text);
  const query = parser.binary(0);
  parser.end();
  return query;
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    const tokens: string[] = [];
    token.lastIndex = 0;
    const whole = text.trim();
    while (token.lastIndex < whole.length) {
      const from = token.lastIndex;
      const found = token.exec(whole);
      if (found === null) throw new Error(`${whole.slice(from)}: not understood in ${text}`);
      tokens.push(found[0].trim());
    }
    this.#tokens = tokens;
    this.#text = text;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Error(`${this.#tokens[this.#at]}: not expected in ${this.#text}`);
  }

  binary(least: number): Query {
    let left = this.#single();
    for (;;) {
      const how = this.#tokens[this.#at] ?? '';
      const rank = precedence[how];
      if (rank === undefined || rank < least) return left;
      this.#at++;
      const on = this.#take('on') ? this.#names() : [];
      left = { kind: 'binary', how, on, sides: [left, this.binary(rank + 1)] };
    }
  }

  #single(): Query {
    if (this.#take('(')) {
      const inner = this.binary(0);
      this.#expect(')');
      return inner;
    }
    const word = this.#next();
    if (/^\d/.test(word)) return { kind: 'number', value: Number(word) };
    const how = aggregations.find((one) => one === word);
    if (how !== undefined) {
      const by = this.#take('by') ? this.#names() : [];
      return { kind: 'aggregate', how, by, of: this.#inBrackets()[0]! };
    }
    if (this.#tokens[this.#at] === '(') return { kind: 'call', name: word, given: this.#inBrackets() };
    return { kind: 'select', select: this.#selector(word) };
  }

  #selector(metric: string): Selector {
    const matchers: Matcher[] = [];
    if (this.#take('{')) {
      while (!this.#take('}')) {
        const [label, how, value] = [this.#next(), this.#next(), this.#next()];
        matchers.push({ label, how: how as Matcher['how'], value: JSON.parse(value) as string });
        this.#take(',');
      }
    }
    const range = /^\[(\d+)([smh])\]$/.exec(this.#tokens[this.#at] ?? '');
    if (range === null) return { metric, matchers, minutes: undefined };
    this.#at++;
    return { metric, matchers, minutes: Number(range[1]) * unitMinutes[range[2]!]! };
  }

  #inBrackets(): readonly Query[] {
    this.#expect('(');
    const inner = [this.binary(0)];
    while (this.#take(',')) inner.push(this.binary(0));
    this.#expect(')');
    return inner;
  }

  #names(): readonly string[] {
    this.#expect('(');
    const names = [this.#next()];
    while (this.#take(',')) names.push(this.#next());
    this.#expect(')');
    return names;
  }

  #next(): string {
    const next = this.#tokens[this.#at++];
    if (next === undefined) throw new Error(`${this.#text} ends too early`);
    return next;
  }

  #take(wanted: string): boolean {
    if (this.#tokens[this.#at] !== wanted) return false;
    this.#at++;
    return true;
  }

  #expect(wanted: string): void {
    if (!this.#take(wanted)) throw new Error(`${wanted} expected in ${this.#text}`);
  }
}

/** Every metric that a query names, with the labels that are asked of it: by matchers, `by` and `on`. */
export function selectorsOf(
  query: Query,
  asked: readonly string[] = [],
): readonly (Selector & { readonly labels: readonly string[] })[] {
  switch (query.kind) {
    case 'number':
      return [];
    case 'select':
      return [{ ...query.select, labels: [...asked, ...query.select.matchers.map(({ label }) => label)] }];
    case 'aggregate':
      return selectorsOf(query.of, [...asked, ...query.by]);
    case 'call':
      return query.given.flatMap((one) => selectorsOf(one, asked));
    case 'binary':
      return query.sides.flatMap((side) => selectorsOf(side, [...asked, ...query.on]));
  }
}

/** The value of a query at a minute. */
export function evaluate(query: Query, series: readonly Series[], minute: number): readonly Sample[] {
  switch (query.kind) {
    case 'number':
      return [{ labels: {}, value: query.value }];
    case 'select':
      return selected(query.select, series).flatMap(({ labels, at }) => {
        const value = at(minute);
        return value === undefined ? [] : [{ labels, value }];
      });
    case 'aggregate':
      return grouped(evaluate(query.of, series, minute), query.by).map(({ labels, values }) => ({
        labels,
        value: query.how === 'sum' ? values.reduce((a, b) => a + b) : Math[query.how](...values),
      }));
    case 'call':
      return called(query, series, minute);
    case 'binary':
      return combined(query, query.sides.map((side) => evaluate(side, series, minute)) as [Sample[], Sample[]]);
  }
}

function selected({ metric, matchers }: Selector, series: readonly Series[]): readonly Series[] {
  return series.filter(
    ({ name, labels }) =>
      name === metric &&
      matchers.every(({ label, how, value }) => {
        const has = labels[label] ?? '';
        const isMet = how.endsWith('~') ? new RegExp(`^(?:${value})$`).test(has) : has === value;
        return how.startsWith('!') ? !isMet : isMet;
      }),
  );
}

function grouped(
  samples: readonly Sample[],
  by: readonly string[],
): readonly { readonly labels: Labels; readonly values: readonly number[] }[] {
  const groups = Map.groupBy(samples, ({ labels }) => JSON.stringify(by.map((name) => labels[name] ?? '')));
  return [...groups.values()].map((group) => ({
    labels: Object.fromEntries(by.map((name) => [name, group[0]!.labels[name] ?? ''])),
    values: group.map(({ value }) => value),
  }));
}

type Call = Extract<Query, { readonly kind: 'call' }>;

function called({ name, given }: Call, series: readonly Series[], minute: number): readonly Sample[] {
  if (name === 'absent') {
    return evaluate(given[0]!, series, minute).length === 0 ? [{ labels: {}, value: 1 }] : [];
  }
  if (name === 'abs') {
    return evaluate(given[0]!, series, minute).map(({ labels, value }) => ({ labels, value: Math.abs(value) }));
  }
  if (name === 'histogram_quantile') {
    const [rank, buckets] = given.map((one) => evaluate(one, series, minute));
    return quantile(rank![0]!.value, buckets!);
  }
  const [range] = given;
  if (range?.kind !== 'select' || range.select.minutes === undefined) throw new Error(`${name} is not known here`);
  const { minutes } = range.select;
  const of = { increase: growth, rate: (values: readonly number[]) => growth(values) / (minutes * 60), delta }[name];
  if (of === undefined) throw new Error(`${name} is not known here`);
  return selected(range.select, series).flatMap(({ labels, at }) => {
    const values = Array.from({ length: minutes + 1 }, (_, ago) => at(minute - minutes + ago)).filter(
      (value) => value !== undefined,
    );
    return values.length < 2 ? [] : [{ labels, value: of(values) }];
  });
}

/** Of a counter, which begins at 0 again when its process does. */
function growth(values: readonly number[]): number {
  return values.slice(1).reduce((sum, value, i) => sum + (value < values[i]! ? value : value - values[i]!), 0);
}

function delta(values: readonly number[]): number {
  return values.at(-1)! - values[0]!;
}

/** Within a bucket values are spread evenly; in the last one its lower bound counts. */
function quantile(rank: number, samples: readonly Sample[]): readonly Sample[] {
  const buckets = samples
    .map(({ labels, value }) => ({ bound: labels['le'] === '+Inf' ? Infinity : Number(labels['le']), value }))
    .toSorted((a, b) => a.bound - b.bound);
  const total = buckets.at(-1)?.value ?? 0;
  if (total === 0) return [];
  const at = buckets.findIndex(({ value }) => value >= rank * total);
  const below = buckets[at - 1] ?? { bound: 0, value: 0 };
  const { bound, value } = buckets[at]!;
  const part = (rank * total - below.value) / (value - below.value);
  return [{ labels: {}, value: bound === Infinity ? below.bound : below.bound + part * (bound - below.bound) }];
}

type Binary = Extract<Query, { readonly kind: 'binary' }>;

function combined(
  { how, on, sides }: Binary,
  [left, right]: readonly [readonly Sample[], readonly Sample[]],
): readonly Sample[] {
  const keyOf = ({ labels }: Sample): string =>
    JSON.stringify(
      on.length > 0
        ? on.map((name) => labels[name])
        : Object.entries(labels)
            .map((pair) => pair.join('='))
            .toSorted(),
    );
  return left.flatMap((one) => {
    const other = sides[1].kind === 'number' ? right[0] : right.find((candidate) => keyOf(candidate) === keyOf(one));
    if (other === undefined) return [];
    const { labels, value } = one;
    switch (how) {
      case 'and':
        return [one];
      case '>':
        return value > other.value ? [one] : [];
      case '<':
        return value < other.value ? [one] : [];
      case '==':
        return value === other.value ? [one] : [];
      case '/':
        return [{ labels, value: value / other.value }];
      case '*':
        return [{ labels, value: value * other.value }];
      case '-':
        return [{ labels, value: value - other.value }];
      default:
        throw new Error(`${how} is not known here`);
    }
  });
}
