import { between, seededRandom } from '@ringfence/e2e';

/** Facts of types that every compared engine supports: integers, texts, booleans. Named as in the policy. */
export const factNames = {
  int: [
    'channelId',
    'client.logins',
    'client.operations',
    'client.sessionsOpen',
    'session.operations',
    'event.repeats',
  ],
  text: ['transaction.category', 'transaction.type', 'order.currency'],
  bool: ['session.matched', 'client.known', 'client.blocked'],
} as const;

export type FactName = (typeof factNames)[keyof typeof factNames][number];

const texts: Readonly<Record<(typeof factNames.text)[number], readonly string[]>> = {
  'transaction.category': ['transfer', 'card', 'bill', 'topup', 'salary', 'loan', 'fx', 'cash'],
  'transaction.type': ['spei', 'swift', 'internal', 'instant'],
  'order.currency': ['MXN', 'USD', 'EUR'],
};
const operators = ['==', '!=', '<', '<=', '>', '>='] as const;
const intMax = 20;

/** `fact operator value`. */
export interface Comparison {
  readonly fact: FactName;
  readonly operator: (typeof operators)[number];
  readonly value: number | string | boolean;
}

/** A rule matches if any of these matches; each matches if all of its comparisons do. */
export interface PlainRule {
  readonly any: readonly (readonly Comparison[])[];
}

/** One event's facts, by name. */
export type PlainFacts = Readonly<Record<FactName, number | string | boolean>>;

/** Rules of two to four comparisons, every fourth with two alternatives: the same for the same seed. */
export function makeRules(count: number, seed: number): readonly PlainRule[] {
  const random = seededRandom(seed);
  const all = (): readonly Comparison[] => Array.from({ length: between(random, 2, 4) }, () => comparison(random));
  return Array.from({ length: count }, (_, at) => ({ any: at % 4 === 0 ? [all(), all()] : [all()] }));
}

export function makeFacts(count: number, seed: number): readonly PlainFacts[] {
  const random = seededRandom(seed);
  const one = (): PlainFacts => {
    const ints = factNames.int.map((name) => [name, between(random, 0, intMax)] as const);
    const words = factNames.text.map((name) => [name, pick(random, texts[name])] as const);
    const bools = factNames.bool.map((name) => [name, random() < 0.5] as const);
    return Object.fromEntries([...ints, ...words, ...bools]) as PlainFacts;
  };
  return Array.from({ length: count }, one);
}

function comparison(random: () => number): Comparison {
  const kind = random();
  if (kind < 0.5)
    return { fact: pick(random, factNames.int), operator: pick(random, operators), value: between(random, 0, intMax) };
  if (kind < 0.8) {
    const fact = pick(random, factNames.text);
    return { fact, operator: random() < 0.8 ? '==' : '!=', value: pick(random, texts[fact]) };
  }
  return { fact: pick(random, factNames.bool), operator: '==', value: random() < 0.5 };
}

function pick<Item>(random: () => number, items: readonly Item[]): Item {
  return items[between(random, 0, items.length - 1)]!;
}

/** The rule as an expression; engines differ in the notation of "and", "or" and the names of facts. */
export function textOf(
  { any }: PlainRule,
  words: { readonly and: string; readonly or: string; readonly name: (fact: FactName) => string },
): string {
  const one = ({ fact, operator, value }: Comparison): string =>
    `${words.name(fact)} ${operator} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
  return any.map((all) => `(${all.map(one).join(` ${words.and} `)})`).join(` ${words.or} `);
}

/** Facts as nested objects: `client.logins` becomes `{ client: { logins } }`. */
export function nested(facts: PlainFacts): Readonly<Record<string, unknown>> {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) {
    const [room, member] = name.split('.');
    if (member === undefined) made[name] = value;
    else made[room!] = { ...(made[room!] as object | undefined), [member]: value };
  }
  return made;
}
