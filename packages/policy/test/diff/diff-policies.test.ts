import { describe, expect, it } from 'vitest';
import { diffPolicies, printChange } from '../../src/diff/diff-policies.ts';
import { policyOf } from '../load.ts';

const base = `
params: { most: { type: int, default: 3 } }
groups: { late: { priority: 5 } }
lists: { mules: { of: payee.id, items: [a, b] } }
actions: { 6: Step-up }
features: { payments: { count: true, by: client.id, over: 5m, on: [operation] } }
rules:
  - { reason: 101, name: Burst, on: [operation], when: payments >= params.most && session.matched, then: { action: 2, message: stop }, group: late }
  - { reason: 104, name: Mule, on: [operation], when: payee.id in lists.mules, then: { action: 6 } }
`;

function diff(...changes: readonly (readonly [string, string])[]): readonly string[] {
  const after = changes.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, base);
  return diffPolicies(policyOf(base), policyOf(after)).map(printChange);
}

describe('the differences between two policies', () => {
  it('are empty for equal policies', () => {
    expect(diff()).toEqual([]);
  });

  it.each([
    ['default: 3', 'default: 5', ['rule 101: threshold of payments 3 to 5', 'parameter most: value 3 to 5']],
    ['then: { action: 6 }', 'then: { action: 6 }, mode: shadow', ['rule 104: is now shadow']],
    ['[a, b]', '[a, c, d, e]', ['list mules: 3 items added', 'list mules: 1 item removed']],
    [' && session.matched', '', ['rule 101: no longer requires session.matched']],
    [
      'params.most && session',
      '4 || session',
      ['rule 101: condition payments >= 3 && session.matched to payments >= 4 || session.matched'],
    ],
    ['session.matched', '!session.matched', ['rule 101: condition session.matched to !session.matched']],
    ['over: 5m', 'over: 10m', ['feature payments: window 5m to 10m', 'feature payments: starts again without history']],
    ['message: stop', 'message: halt', ['rule 101: message of action 2 "stop" to "halt"']],
    [
      'then: { action: 6 }',
      'then: { action: 2 }, share: 10%, cooldown: 1h per client',
      [
        'rule 104: actions 6 (Step-up) to 2 (Close session)',
        'rule 104: share 100% to 10%',
        'rule 104: cooldown none to 1h per client',
      ],
    ],
    [
      'then: { action: 6 }',
      'then: { action: 6 }, maxActions: [200 per hour, 3 per day per client]',
      ['rule 104: cap none to 200 per hour', 'rule 104: cap per client none to 3 per day'],
    ],
    [
      'payments: { count: true, by: client.id, over: 5m, on: [operation] }',
      "payments: { count: true, by: payee.id, over: 5m, on: [operation], where: 'order.amount > 5' }",
      [
        'feature payments: by client.id to payee.id',
        'feature payments: where none to order.amount > 5',
        'feature payments: starts again without history',
      ],
    ],
    ['Step-up', 'Ask', ['action 6: name Step-up to Ask']],
    ['6: Step-up', '6: { name: Step-up, trusts: device }', ['action 6: trusts none to device']],
    ['6: Step-up', '6: { name: Step-up, stepUp: true }', ['action 6: stepUp none to true']],
    [
      '6: Step-up',
      '6: { name: Step-up, trusts: { device: [passkey, token] } }',
      ['action 6: trusts none to device by passkey, token'],
    ],
    ['priority: 5', 'priority: 6', ['group late: priority 5 to 6']],
    [
      'name: Burst,',
      "name: Burst, summary: { en: '{{payments}} payments', es: pagos },",
      ['rule 101: summary in en none to "{{payments}} payments"', 'rule 101: summary in es none to "pagos"'],
    ],
    ['name: Mule', 'name: Known mule', ['rule 104: name Mule to Known mule']],
  ])('%s to %s', (from, to, words) => {
    expect(diff([from, to])).toEqual(words);
  });

  it('reports a changed option of a feature, without a change of its window', () => {
    const of = (text: string): ReturnType<typeof policyOf> =>
      policyOf(
        `features:\n  f: { ${text}, by: client.id, over: 30d }\n  g: { sum: order.amount, by: client.id, over: 1d }\n  r: { ratio: g, to: ${text.startsWith('rate') ? 'f' : 'g'} }\nrules:\n  - { reason: 1, name: n, when: 'f > 1 && r > 1.0', then: { action: 2 } }\n`,
      );
    const words = (a: string, b: string): readonly string[] => diffPolicies(of(a), of(b)).map(printChange);
    expect(words('percentile: order.amount, at: 95', 'percentile: order.amount, at: 99.5')).toEqual([
      'feature f: at 95 to 99.5',
    ]);
    expect(words('rate: true, per: 1h', 'rate: true, per: 1d')).toEqual(['feature f: per 1h to 1d']);
    // It continues with its history.
    expect(words('count: true', 'count: true, excluding: this')).toEqual(['feature f: excluding none to this']);
    expect(words('max: order.amount', 'rate: order.amount, per: 1d')).toContain('feature r: to g to f');
  });

  it.each([
    ['{{order.amount}}', '{{order.amount * 2}}', 'message of action 2 "{{order.amount}}" to "{{order.amount * 2}}"'],
    [
      '{{account.accountNumber.mask()}} to\n\n{{payee.id}}',
      '{{account.accountNumber}} to\n\n{{payee.id}}',
      String.raw`message of action 2 "{{account.accountNumber.mask()}} to\n\n{{payee.id}}" to "{{account.accountNumber}} to\n\n{{payee.id}}"`,
    ],
  ])('shows a message before and after: %j to %j', (before, after, change) => {
    const of = (message: string): ReturnType<typeof policyOf> =>
      policyOf(
        `rules:\n  - { reason: 1, name: n, when: order.amount > 1, then: { action: 2, message: ${JSON.stringify(message)} } }\n`,
      );
    expect(diffPolicies(of(before), of(after)).map(printChange)).toEqual([`rule 1: ${change}`]);
  });

  it('reports the changed texts and formats of each action', () => {
    expect(diff(['message: stop }', 'message: stop, format: html }'])).toEqual([
      'rule 101: format of action 2 text to html',
    ]);
    expect(
      diff(['{ action: 2, message: stop }', '[{ action: 2, message: halt }, { action: 3, message: late }]']),
    ).toEqual([
      'rule 101: actions 2 (Close session) to 2 (Close session), 3 (Send e-mail)',
      'rule 101: message of action 2 "stop" to "halt"',
      'rule 101: message of action 3 none to "late"',
    ]);
  });

  it('reports the window that a parameter changed', () => {
    const of = (days: number): ReturnType<typeof policyOf> =>
      policyOf(
        `params: { habit: { type: duration, default: ${days}d } }\nfeatures: { f: { count: true, by: client.id, over: params.habit } }\nrules:\n  - { reason: 1, name: n, when: f > 1, then: { action: 2 }, cooldown: params.habit per client }\n`,
      );
    expect(diffPolicies(of(30), of(20)).map(printChange)).toEqual([
      'rule 1: cooldown 30d per client to 20d per client',
      'parameter habit: value 30d to 20d',
      'feature f: window 30d to 20d',
      'feature f: starts again without history',
    ]);
  });

  it('names added and removed rules', () => {
    const words = diff(['reason: 104, name: Mule', 'reason: 105, name: Other']);
    expect(words).toEqual(['rule 104: is removed', 'rule 105: is added, live: Other, when payee.id in lists.mules']);
  });
});
