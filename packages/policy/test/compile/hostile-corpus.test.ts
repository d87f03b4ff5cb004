import fc from 'fast-check';
import { expect, it } from 'vitest';
import { costMax } from '../../src/compile/bounds.ts';
import type { Facts, FactValue } from '../../src/facts/fact-value.ts';
import { check, factsArray } from '../evaluate.ts';

/** How many expressions are tried. */
const count = 1_000;
const patienceMs = 60_000;

const times = (text: string, count: number): string => text.repeat(count);
const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2_000 }));
const atom = fc.constantFrom(
  'client.known',
  'user == "x"',
  'order.amount > 1',
  'transaction.details["a"] == "b"',
  'client.logins > 3',
);
const words = fc.constantFrom('user', 'data', 'transaction.description', '"a"', 'transaction.details["k"]');

/** Nested brackets, calls, conditionals and signs. */
const deep = fc
  .tuple(
    fc.constantFrom(['(', ')'], ['!', ''], ['[', '][0]'], ['{"a": ', '}.a'], ['dyn(', ')'], ['true ? false : ', '']),
    size,
    atom,
  )
  .map(([[open = '', close = ''], depth, inner]) => `${times(open, depth)}${inner}${times(close, depth)} == true`);

/** Nested loops over lists, with and without a part that does not depend on the item. */
const loops = fc
  .tuple(
    fc.array(
      fc.tuple(fc.constantFrom('exists', 'all', 'exists_one', 'map', 'filter'), fc.integer({ min: 1, max: 200 })),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
    fc.boolean(),
    words,
  )
  .map(([levels, isDependent, word]) => {
    const names = levels.map((_, at) => `x${at}`);
    const body = isDependent ? `${word}.contains(string(${names.join(' + ')}))` : `${word}.contains("x")`;
    const whole = levels.reduceRight((inner, [macro, items], at) => {
      const list = `[${Array.from({ length: Math.min(items, Math.ceil(200 / levels.length)) }, (_, item) => item).join(',')}]`;
      const isTest = macro === 'map' || at === levels.length - 1;
      return `${list}.${macro}(${names[at]}, ${isTest ? inner : `[${inner}].size() > 0`})`;
    }, body);
    return `[${whole}].size() > 0`;
  });

/** Patterns on which a backtracking engine never ends, and some that grow by their counts. */
const patterns = fc
  .tuple(
    fc.constantFrom(
      '(a+)+$',
      '(a|a)*b',
      '(.*)*x',
      '([a-z]+)*[0-9]',
      '(a{1,30}){1,30}',
      '((a?){20}){20}',
      '(?=a)',
      '\\\\1',
    ),
    fc.integer({ min: 1, max: 120 }),
    words,
  )
  .map(([pattern, repeats, word]) =>
    Array.from({ length: repeats }, () => `${word}.matches("${pattern}")`).join(' || '),
  );

/** Long literals, long chains, long lists. */
const long = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }).map((length) => `user == "${times('x', length)}"`),
  fc
    .tuple(atom, fc.constantFrom('&&', '||'), size)
    .map(([part, operator, length]) => Array.from({ length }, () => part).join(operator)),
  fc.tuple(words, size).map(([part, length]) => `(${Array.from({ length }, () => part).join(' + ')}).size() > 3`),
  size.map((length) => `order.amount in [${Array.from({ length }, (_, at) => `${at}.5`).join(', ')}]`),
  size.map((length) => `{${Array.from({ length }, (_, at) => `${at}: user`).join(', ')}}.size() > 3`),
  size.map((length) => `user${times('.replace("a", "aaaaaaaaaa")', length)} == ""`),
  fc
    .tuple(fc.constantFrom('.b', '["b"]', '.trim()', '[0]'), size)
    .map(([part, length]) => `user${times(part, length)} == ""`),
  size.map((length) => `${times('1', length)} + ${times('9', length)}u == 0`),
);

const host = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'length',
  'then',
  'call',
  'apply',
  'size',
  'get',
];

/** Names that JavaScript has on every value. */
const hostAccess = fc
  .tuple(
    fc.constantFrom(
      'user',
      'transaction.details',
      '[1, 2]',
      '{"a": 1}',
      'dyn([1])',
      'dyn({"a": 1})',
      'lists.words',
      'event.at',
      '1',
    ),
    fc.array(fc.constantFrom(...host), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('member', 'index', 'quoted', 'method', 'dynamic'),
  )
  .map(([owner, names, way]) => {
    const write: Readonly<Record<string, (name: string) => string>> = {
      member: (name) => `.${name}`,
      index: (name) => `["${name}"]`,
      quoted: (name) => `.\`${name}\``,
      method: (name) => `.${name}("return this")`,
      dynamic: (name) => `[dyn("${name}")]`,
    };
    const access = owner + names.map((name) => write[way]?.(name)).join('');
    return `has(${access}) || dyn(${access}) == 1`;
  });

/** Anything else: an expression with pieces removed, duplicated or moved. */
const broken = fc
  .tuple(
    fc.oneof(deep, loops, patterns, hostAccess),
    fc.nat(),
    fc.nat(),
    fc.constantFrom('', '(', '`', '"', '\0', '\ud800', '{{', '//'),
  )
  .map(([text, from, to, piece]) => {
    const [a = 0, b = 0] = [from % text.length, to % text.length].toSorted((x, y) => x - y);
    return text.slice(0, a) + piece + text.slice(b);
  });

/** Facts as long and as many as the wire allows. */
const hostileFacts: Readonly<Record<string, FactValue>> = {
  user: 'a'.repeat(256),
  data: 'a'.repeat(49_152),
  'transaction.description': 'aé🎁'.repeat(1_000),
  'transaction.details': new Map(Array.from({ length: 256 }, (_, at) => [`k${at}`, 'a'.repeat(200)])),
  'client.known': true,
  'client.logins': Number.MAX_SAFE_INTEGER,
  'order.amount': (10n ** 30n) as never,
  'event.at': 253_402_300_799_999,
};

/** Counts the reads of facts: the operations of a condition that are visible from outside. */
function counted(facts: Facts): { readonly facts: Facts; readonly reads: () => number } {
  let reads = 0;
  const get = (target: Facts, key: string | symbol): unknown => {
    reads++;
    return Reflect.get(target, key);
  };
  return { facts: new Proxy(facts, { get }), reads: () => reads };
}

/**
 * For any text, the check ends with a condition of known and bounded cost, or with a mistake; and a running condition
 * reads no more than its cost allows.
 */
it('refuses hostile expressions, or bounds their work', { timeout: patienceMs }, () => {
  const expressions = fc.sample(fc.oneof(deep, loops, patterns, long, hostAccess, broken), {
    seed: 30,
    numRuns: count,
  });
  const checked = expressions.map((text) => ({ text: text.slice(0, 200), ...check(text) }));
  const refused = checked.filter(({ compiled }) => compiled === undefined);
  expect(refused.filter(({ mistakes }) => mistakes.length === 0)).toEqual([]);

  const bounded = checked.flatMap(({ text, compiled, slots }) => {
    if (compiled === undefined) return [];
    const { facts, reads } = counted(factsArray(slots, hostileFacts));
    return [{ text, cost: compiled.cost, outcome: compiled.run(facts), reads: reads() }];
  });
  expect(bounded.filter(({ cost, reads }) => cost > costMax || reads > cost)).toEqual([]);
  expect(bounded.filter(({ outcome }) => outcome !== undefined && typeof outcome !== 'boolean')).toEqual([]);
  // Both results must be frequent, or the test proves little.
  expect(checked.length).toBe(count);
  expect(Math.min(refused.length, bounded.length)).toBeGreaterThan(count / 5);
});

it('finds no member of the host on any value', () => {
  for (const text of fc.sample(hostAccess, { seed: 31, numRuns: count })) {
    const { compiled, slots } = check(text);
    // A map has no member of that name; everything else is refused.
    expect(compiled?.run(factsArray(slots, hostileFacts)) ?? false, text).toBe(false);
  }
});
