import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/check/load-policy.ts';
import type { PolicyFile } from '../../src/policy.ts';
import { load, mistakesOf, policyOf } from '../load.ts';

const rule = (reason: number, when = 'order.amount > 1'): string =>
  `  - { reason: ${reason}, name: rule ${reason}, when: '${when}', then: { action: 2 } }`;

describe('files', () => {
  it('are one policy, in any order', () => {
    const files: PolicyFile[] = [
      { path: 'b.yaml', text: `rules:\n${rule(2, 'sum1d > 5')}\ntests: []` },
      {
        path: 'a.yaml',
        text: `rules:\n${rule(1)}\nfeatures:\n  sum1d: { sum: order.amount, by: client.id, over: 1d }`,
      },
      { path: 'empty.yaml', text: '# nothing yet\n' },
      { path: 'hollow.yaml', text: 'rules:\nlists:\n' },
    ];
    const [one, other] = [loadPolicy(files), loadPolicy(files.toReversed())];
    if (!one.ok || !other.ok) throw new Error('both check');
    expect(one.policy.rules.map((read) => read.reason)).toEqual([1, 2]);
    expect(one.policy.canonical).toBe(other.policy.canonical);
    expect(one.policy.rules.map(({ file, line }) => `${file}:${line}`)).toEqual(['a.yaml:2', 'b.yaml:2']);
  });

  it('report mistakes with their file, in order', () => {
    const result = loadPolicy([
      { path: 'b.yaml', text: 'rulez: []' },
      { path: 'a.yaml', text: 'rules:\n  - {}\n  - 5' },
    ]);
    expect(result).toMatchObject({
      ok: false,
      errors: [
        { file: 'a.yaml', line: 2, column: 5, message: 'the rule has no action' },
        { file: 'a.yaml', line: 2, message: 'the rule has no condition' },
        { file: 'a.yaml', line: 2, message: 'the rule has no name' },
        { file: 'a.yaml', line: 2, message: 'the rule has no reason' },
        { file: 'a.yaml', line: 3, column: 5, message: 'a rule is expected, not the value 5' },
        { file: 'b.yaml', line: 1, column: 1, message: 'a policy has no rulez', suggestion: 'rules' },
      ],
    });
  });

  it('that cannot be read are reported alone, because others may need their declarations', () => {
    const result = loadPolicy([
      { path: 'a.yaml', text: 'actions:\n  6: Call us\n bad' },
      { path: 'b.yaml', text: rule(1).replace('action: 2', 'action: 6').replace('  - ', 'rules:\n  - ') },
      { path: 'c.yaml', text: '[' },
    ]);
    const errors = result.ok ? [] : result.errors;
    expect(errors.map(({ file }) => file)).toEqual(['a.yaml', 'c.yaml']);
  });

  it('that declare a list twice are both named', () => {
    const result = loadPolicy([
      { path: 'a.yaml', text: 'lists:\n  mules: { of: payee.id }' },
      { path: 'b.yaml', text: 'lists:\n  mules: { of: client.id }' },
    ]);
    expect(result).toMatchObject({
      ok: false,
      errors: [{ file: 'b.yaml', line: 2, message: 'the list mules is declared twice: here and a.yaml, line 2' }],
    });
  });

  it.each([
    ['no files', [], 'the policy has no files'],
    [
      'too many',
      Array.from({ length: 101 }, (_, at) => ({ path: `${at}.yaml`, text: '' })),
      'the policy has 101 files',
    ],
    ['a large one', [{ path: 'a.yaml', text: '#'.repeat(600_000) }], 'the file has 600000 characters'],
    [
      'too much in all',
      Array.from({ length: 9 }, (_, at) => ({ path: `${at}.yaml`, text: '#'.repeat(500_000) })),
      'the policy has 4500000 characters',
    ],
  ])('%s', (_, files, message) => {
    expect(loadPolicy(files)).toMatchObject({ ok: false, errors: [{ message }] });
  });
});

describe('YAML', () => {
  it.each([
    ['rules: [', '1:8 [ is not closed => ]'],
    [
      '- a',
      '1:1 a policy file is a mapping => sections: pack, use, params, features, lists, models, actions, groups, rules, overrides, tests',
    ],
    ['rules: x', '1:8 rules is a list, not the value x => [a, b], or lines that begin with "- "'],
    ['features: [a]', '1:11 features is expected, not a list => name: value, one on each line'],
    ['lists: {}\nlists: {}', '2:1 lists appears here twice, first in line 1 => one of them'],
    [
      'features: &f {}\nlists: *f',
      "2:8 a policy can't use anchors and aliases => the text itself, without an anchor or alias",
    ],
    ['a: 1\n---\nb: 1', '2:1 a second document begins here => remove the ---: a file is one document'],
  ])('%s', (text, mistake) => {
    expect(mistakesOf(text)[0]).toBe(mistake);
    expect(load(text).ok).toBe(false);
  });

  it('that is nested too deeply is refused', () => {
    expect(load(`rules: ${'['.repeat(20_000)}`).ok).toBe(false);
  });

  it('a bomb of aliases stays small', () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) => `l${at}: &l${at} [${at === 0 ? 'x' : Array.from({ length: 9 }, () => `*l${at - 1}`).join(', ')}]`,
    );
    expect(load(`lists:\n${levels.map((level) => `  ${level}`).join('\n')}`).ok).toBe(false);
  });

  it('reports 20 mistakes and searches no further', () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `x${at}: 1`).join('\n');
    const found = mistakesOf(text);
    expect(found).toHaveLength(20);
    expect(found[19]).toMatch(/^20:1 a policy has no x19/);
  });

  it('still finds a mistake behind 150 warnings', () => {
    const rules = Array.from({ length: 150 }, (_, at) => rule(at + 1).replace(/\d+/, `0x${(at + 1).toString(16)}`));
    const result = load(`rules:\n${rules.join('\n')}\n  - 5`);
    const found = result.ok ? [] : result.errors;
    expect(found.filter(({ severity }) => severity === 'warning')).toHaveLength(100);
    expect(found.at(-1)).toMatchObject({ line: 152, severity: 'error' });
  });
});

describe('the canonical text', () => {
  const base = `rules:\n${rule(1)}\nlists:\n  bad: { of: payee.id, items: [b, a] }`;

  it.each([
    [
      'blanks, quotes and parentheses',
      `rules:\n${rule(1, '( order.amount>1 )')}\nlists:\n  bad: { of: payee.id, items: [a, "b"] }`,
    ],
    ['descriptions and tests', `${base}\ntests:\n  - { name: t, given: [], expect: [] }`],
  ])('is the same with other %s', (_, text) => {
    expect(policyOf(text).canonical).toBe(policyOf(base).canonical);
  });

  it.each([
    ['condition', base.replace('> 1', '>= 1')],
    ['reason', base.replace('reason: 1', 'reason: 3')],
    ['name', base.replace('rule 1', 'rule one')],
    ['action', base.replace('action: 2', 'action: 1')],
    ['message', base.replace('action: 2', 'action: 2, message: m')],
    ['mode', base.replace("when: '", "mode: shadow, when: '")],
    ['cooldown', base.replace("when: '", "cooldown: 1m per client, when: '")],
    ['maxActions', base.replace("when: '", "maxActions: 1 per day, when: '")],
    ['kinds of event', base.replace("when: '", "on: [login], when: '").replace('order.amount', 'channelId')],
    ['list', base.replace('[b, a]', '[b]')],
    ['feature', `${base}\nfeatures:\n  f: { count: true, by: client.id, over: 1h }`],
    ['action that trusts a device', `${base}\nactions:\n  6: { name: Step-up, trusts: device }`],
    ['method that trusts a device', `${base}\nactions:\n  6: { name: Step-up, trusts: { device: [passkey] } }`],
    ['action that is a step-up', `${base}\nactions:\n  6: { name: Step-up, stepUp: true }`],
  ])('differs with another %s', (_, text) => {
    expect(policyOf(text).canonical).not.toBe(policyOf(base).canonical);
  });
});

describe('slots', () => {
  it('exist for the facts that are read, and for no others', () => {
    const { slots } = policyOf(`rules:\n${rule(1, 'order.amount > 1 && client.known')}`);
    expect(slots.count).toBe(2);
    expect([slots.of('order.amount'), slots.of('client.known'), slots.of('payee.id')]).toEqual([0, 1, undefined]);
  });
});

it('a mistake in a feature is reported once, not at every rule that reads it', () => {
  const text = `features:\n  f: { count: true, by: client.id }\nlists:\n  l: { of: nothing }\nrules:\n${rule(1, 'f > 1 && payee.id in lists.l')}\ntests:\n  - { name: t, given: [], expect: [{ reason: 1 }] }`;
  expect(mistakesOf(text)).toEqual(['2:6 count needs a window => over: 24h', '4:12 there is no fact nothing']);
});
