import { describe, expect, it } from 'vitest';
import { diffPolicies, printChange } from '../src/diff-policies.ts';
import { policyOf } from './load.ts';

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

describe('what differs between two policies', () => {
  it('is nothing between equal ones', () => {
    expect(diff()).toEqual([]);
  });

  it.each([
    ['default: 3', 'default: 5', ['rule 101: threshold of payments 3 to 5', 'parameter most: value 3 to 5']],
    ['then: { action: 6 }', 'then: { action: 6 }, mode: shadow', ['rule 104: is now shadow']],
    ['[a, b]', '[a, c, d, e]', ['list mules: 3 items added', 'list mules: 1 item removed']],
    [' && session.matched', '', ['rule 101: asks no more for session.matched']],
    [
      'session.matched',
      '!session.matched',
      ['rule 101: condition payments >= 3 && session.matched to payments >= 3 && !session.matched'],
    ],
    ['over: 5m', 'over: 10m', ['feature payments: is another one now, and begins anew']],
    ['message: stop', 'message: halt', ['rule 101: says something else']],
    [
      'then: { action: 6 }',
      'then: { action: 2 }, share: 10%, cooldown: 1h per client',
      ['rule 104: actions 6 to 2', 'rule 104: share 100% to 10%', 'rule 104: cooldown none to 1h per client'],
    ],
    ['Step-up', 'Ask', ['action 6: name Step-up to Ask']],
    ['priority: 5', 'priority: 6', ['group late: priority 5 to 6']],
    ['name: Mule', 'name: Known mule', ['rule 104: name Mule to Known mule']],
  ])('%s to %s', (from, to, words) => {
    expect(diff([from, to])).toEqual(words);
  });

  it('names what is new and what is gone', () => {
    const words = diff(['reason: 104, name: Mule', 'reason: 105, name: Other']);
    expect(words).toEqual(['rule 104: is gone', 'rule 105: is new, live: Other, when payee.id in lists.mules']);
  });
});
