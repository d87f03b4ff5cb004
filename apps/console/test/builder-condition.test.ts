import { loadPolicy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { printRows, readRows } from '../src/pages/policy/builder-condition.ts';
import { addRule, writeCondition, writeMode, writeSummary } from '../src/pages/policy/write-rule.ts';

describe('the builder', () => {
  it.each([
    'order.amount > 10000',
    'clientPayments5m >= 6 && order.currency == "MXN"',
    'order.amount > 3 * clientAmountAvg30d && clientPayeeFirstSeen == 0s',
    'session.mismatch != "a && b" && session.age < 1m',
  ])('reads %s, and writes the same', (text) => {
    expect(printRows(readRows(text)!)).toBe(text);
  });

  it('adds the operator to an implicit comparison', () => {
    expect(printRows(readRows('device.isNew && !device.reported')!)).toBe(
      'device.isNew == true && device.reported == false',
    );
  });

  it.each([
    'a > 1 || b > 2',
    '(a > 1 || b > 2) && c',
    'payee.id in lists.mules',
    'x.orValue(1h) >= 1h',
    'has(order.amount)',
  ])('leaves %s to the text', (text) => {
    expect(readRows(text)).toBeUndefined();
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
