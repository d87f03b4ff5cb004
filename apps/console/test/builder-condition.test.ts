import { loadPolicy } from '@ringfence/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BuilderCondition,
  builderOperators,
  faultyField,
  isGroup,
  printBuilder,
  readBuilder,
} from '../src/pages/policy/builder-condition.ts';
import { builderWords, factWords, fittingLists, withQuotes } from '../src/pages/policy/builder-words.ts';
import { mistakesOfRows } from '../src/pages/policy/condition-mistakes.ts';
import { addRule, writeCondition, writeMode, writeSummary } from '../src/pages/policy/write-rule.ts';

const files = [
  {
    path: 'features.yaml',
    text: `features:
  clientUsual30d: { avg: order.amount, by: client.id, over: 30d, excluding: this }
  clientPaid5m: { count: true, by: client.id, over: 5m, on: [operation] }
lists:
  mules: { of: payee.id, live: true }
  offices: { of: publicIp, items: [203.0.113.0/24] }
  channels: { of: channelId, items: [1, 2] }
  pairs: { of: [device.id, client.id], live: true }
`,
  },
];

/** Rows whose values have the type of their fact, so that every condition of them compiles. */
const row = fc.oneof(
  fc.record({
    fact: fc.constantFrom('order.amount', 'clientUsual30d', 'clientPaid5m'),
    operator: fc.constantFrom('==', '!=', '>', '>=', '<', '<='),
    value: fc.constantFrom('0', '10.50', '3 * clientUsual30d', 'order.amount'),
  }),
  fc
    .record({
      fact: fc.constantFrom('order.currency', 'payee.id', 'transaction.description.plain()'),
      operator: fc.constantFrom('==', '!='),
      value: fc.string({
        minLength: 1,
        maxLength: 8,
        unit: fc.constantFrom('a', 'B', ' ', '"', '\\', '&', '|', '(', ')'),
      }),
    })
    .map((one) => ({ ...one, value: JSON.stringify(one.value) })),
  fc.record({
    fact: fc.constantFrom('payee.id', 'client.id'),
    operator: fc.constantFrom('in', 'notIn'),
    value: fc.constant('mules'),
  }),
  fc.record({
    fact: fc.constantFrom('order.currency', 'clientUsual30d', 'transaction.details["x"]'),
    operator: fc.constantFrom('missing', 'present'),
    value: fc.constant(''),
  }),
);
const condition: fc.Arbitrary<BuilderCondition> = fc.record({
  joined: fc.constantFrom('all', 'any'),
  parts: fc.array(fc.oneof(row, fc.record({ rows: fc.array(row, { minLength: 2, maxLength: 4 }) })), {
    minLength: 2,
    maxLength: 4,
  }),
}) as fc.Arbitrary<BuilderCondition>;

describe('the builder', () => {
  it('opens every condition that it wrote', () => {
    fc.assert(
      fc.property(condition, (one) => {
        const { text, rows } = printBuilder(one);
        expect(readBuilder(text)).toEqual(one);
        for (const { start, end } of rows) expect(readBuilder(text.slice(start, end))?.parts).toHaveLength(1);
      }),
    );
  });

  it('writes only conditions that compile', () => {
    fc.assert(
      fc.property(condition, (one) => {
        const added = addRule(
          { path: 'rules.yaml', text: '' },
          { reason: 1, name: 'One', condition: printBuilder(one).text, action: 2, message: '', summary: {} },
        );
        const loaded = loadPolicy([...files, added]);
        expect(loaded.ok ? [] : loaded.errors).toEqual([]);
        expect(loaded.ok && readBuilder(loaded.policy.rules[0]!.text)).toEqual(one);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    'order.amount > 10000',
    'clientPayments5m >= 6 && order.currency == "MXN"',
    'order.amount > 3 * clientAmountAvg30d && clientPayeeFirstSeen == 0s',
    'session.mismatch != "a && b" && session.age < 1m',
    'a > 1 || b > 2',
    '(a > 1 || b > 2) && c == true',
    'a > 1 || (b > 2 && !has(c))',
    'payee.id in lists.mules && !(client.id in lists.staff)',
    'x.orValue(1h) >= 1h',
    'has(order.amount)',
  ])('reads %s, and writes the same', (text) => {
    expect(printBuilder(readBuilder(text)!).text).toBe(text);
  });

  it.each([
    ['device.isNew && !device.reported', 'device.isNew == true && device.reported == false'],
    ['a > 1 && (b > 2 && c > 3)', 'a > 1 && b > 2 && c > 3'],
    ['a > 1 || b > 2 && c > 3', 'a > 1 || (b > 2 && c > 3)'],
    ["\n  order.currency=='MXN'\n&& a>1", 'order.currency == "MXN" && a > 1'],
  ])('writes %s as %s', (text, written) => {
    expect(printBuilder(readBuilder(text)!).text).toBe(written);
  });

  it.each([
    '!(a > 1 || b > 2)',
    'a > 1 && (b > 2 || (c > 3 && d > 4))',
    'event.hour in [22, 23]',
    'transaction.description.contains("x")',
    'a > 1 ? b > 2 : c > 3',
    'a >',
    '',
  ])('leaves %s to the text', (text) => {
    expect(readBuilder(text)).toBeUndefined();
  });

  it('leaves out a group without rows, and the parentheses around one row', () => {
    const only = { fact: 'a', operator: '>', value: '1' } as const;
    expect(printBuilder({ joined: 'all', parts: [only, { rows: [] }, { rows: [only] }] }).text).toBe('a > 1 && a > 1');
  });

  it.each([
    [{ fact: '', value: '1' }, 'fact'],
    [{ fact: 'order.amount', value: '' }, 'value'],
    [{ fact: 'order.amount', value: '1 || true' }, 'value'],
    [{ fact: 'order.amount > 1 || order.amount', value: '1' }, 'fact'],
    [{ fact: 'order.amount', value: '1) || (true' }, 'value'],
  ] as const)('does not write the row %j', ({ fact, value }, field) => {
    for (const operator of builderOperators.slice(0, 6)) expect(faultyField({ fact, operator, value })).toBe(field);
  });

  it('offers the lists of a fitting type, those of the fact first', () => {
    const words = builderWords(files);
    const names = (fact: string): readonly string[] => fittingLists(fact, words).map(({ name }) => name);
    expect(names('payee.id')).toEqual(['mules']);
    expect(names('publicIp')).toEqual(['offices', 'mules']);
    expect(names('channelId')).toEqual(['channels']);
    expect(names('order.amount')).toEqual([]);
  });

  it('offers the features of the policy in conditions, and only facts to features', () => {
    const words = builderWords(files);
    expect(words.facts[0]?.path).toBe('clientPaid5m');
    expect(words.typeOf('clientUsual30d')).toBe('decimal');
    expect(factWords(words).facts.some(({ path }) => path === 'clientPaid5m')).toBe(false);
  });

  it.each([
    ['order.currency', 'MXN', '"MXN"'],
    ['order.currency', '"MXN"', '"MXN"'],
    ['order.currency', 'debitFrom.currency', 'debitFrom.currency'],
    ['transaction.description', '8 de "Mayo"', String.raw`"8 de \"Mayo\""`],
    ['transaction.type', '12', '"12"'],
    ['order.amount', '12', '12'],
    ['device.isNew', 'true', 'true'],
  ])('adds the quotes to a text: %s == %s', (fact, value, written) => {
    const { parts } = withQuotes({ joined: 'all', parts: [{ fact, operator: '==', value }] }, builderWords(files));
    expect(parts).toEqual([{ fact, operator: '==', value: written }]);
  });

  it('shows an error at the field that it concerns', () => {
    const one = readBuilder('order.amonut > 1 && (payee.id == 4 || order.amount > 2) && client.id in lists.mule')!;
    const { rows, others } = mistakesOfRows(files, one, builderWords(files));
    expect(others).toEqual([]);
    expect([...rows].map(([place, { field }]) => [place, field])).toEqual([
      ['0', 'fact'],
      ['1.0', 'value'],
      ['2', 'value'],
    ]);
    expect(rows.get('0')?.text).toContain('order.amount');
    expect(one.parts.filter(isGroup)).toHaveLength(1);
  });

  it('changes only the condition in a file', () => {
    const text = '# Why\nrules:\n  - reason: 1 # the first\n    when: a > 1\n  - reason: 2\n    when: b > 1\n';
    expect(writeCondition({ path: 'a.yaml', text }, 2, 'b > 5 && c == "x"').text).toBe(
      text.replace('b > 1', 'b > 5 && c == "x"'),
    );
  });

  it('sets a rule live without other changes to its file', () => {
    const text =
      '# Why\nrules:\n  - { reason: 1, when: a > 1, mode: shadow } # watched\n  - reason: 2\n    when: b > 1\n    mode: shadow # since May\n';
    const file = { path: 'a.yaml', text };
    expect(writeMode(file, 2, 'live').text).toBe(text.replace('shadow # since', 'live # since'));
    expect(writeMode(file, 1, 'off').text).toBe(text.replace('shadow }', 'off }'));
    expect(writeMode({ ...file, text: 'rules:\n  - reason: 1\n    when: a > 1\n' }, 1, 'shadow').text).toBe(
      'rules:\n  - reason: 1\n    when: a > 1\n    mode: shadow\n',
    );
  });

  it('sets, changes and removes the summary of a rule without other changes to its file', () => {
    const text =
      '# Why\nrules:\n  - reason: 1 # the first\n    name: One\n    when: client.known\n    then: { action: 2 }\n';
    const one = writeSummary({ path: 'a.yaml', text }, 1, { en: 'Paid {{order.amount}}', es: '' });
    expect(one.text).toBe(`${text}    summary: "Paid {{order.amount}}"\n`);
    const both = writeSummary(one, 1, { en: 'Paid', es: 'Pagó {{order.amount}}' });
    const loaded = loadPolicy([both]);
    expect(loaded.ok && loaded.policy.rules[0]!.summary).toMatchObject([
      { language: 'en', template: 'Paid' },
      { language: 'es', template: 'Pagó {{order.amount}}' },
    ]);
    expect(writeSummary(both, 1, { en: '', es: '' }).text).toBe(text);
  });

  it.each([
    ['lists: {}\n', 'lists: {}\n'],
    ['# None yet\nrules: []\n', '# None yet\n'],
    [
      `rules:\n  - reason: 1 # the first\n    name: One\n    when: order.amount > 1\n    then: { action: 2 }\n`,
      undefined,
    ],
  ])('adds a rule in shadow that loads, after the existing ones (%#)', (text, before) => {
    const rule = {
      reason: 7,
      name: 'Large: "very"',
      condition: 'order.amount > 9 && order.currency == "MXN"',
      summary: { en: '{{order.amount}}: "paid"', es: ' ' },
    };
    const added = addRule({ path: 'a.yaml', text }, { ...rule, action: 3, message: '{{order.amount}}: you?' });
    expect(added.text.startsWith(before ?? text)).toBe(true);
    const loaded = loadPolicy([added]);
    const last = loaded.ok ? loaded.policy.rules.at(-1) : undefined;
    expect(last).toMatchObject({
      reason: 7,
      name: rule.name,
      text: rule.condition,
      mode: 'shadow',
    });
    expect(last?.summary).toMatchObject([{ language: 'en', template: '{{order.amount}}: "paid"' }]);
    expect(last?.then).toMatchObject([{ action: 3, message: '{{order.amount}}: you?' }]);
    expect(addRule({ path: 'a.yaml', text }, { ...rule, action: 2, message: '' }).text).not.toContain('message');
  });
});
