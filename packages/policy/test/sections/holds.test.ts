import { hourMs, minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/check/load-policy.ts';

function read(actions: string, rules = '') {
  const text = `actions:\n${actions}\nrules:\n${rules || '  - { reason: 1, name: r, on: [operation], when: order.amount > 5, then: { action: 7 } }'}\n`;
  return loadPolicy([{ path: 'policy.yaml', text }]);
}

const enders = `
  8: { name: Release, message: "{{transaction.reference}} released" }
  9: { name: Reject }`;
const hold = (terms: string): string => `  7: { name: Hold, hold: { ${terms} } }${enders}`;
const usual = hold('release: 8, reject: 9, within: 30m, otherwise: keep');

function mistakes(...of: Parameters<typeof read>): readonly string[] {
  const result = read(...of);
  return result.ok ? [] : result.errors.map(({ message }) => message);
}

describe('an action that holds payments', () => {
  it('has its terms', () => {
    const result = read(hold('release: 8, reject: Reject, within: 30m, otherwise: keep'));
    expect(result.ok && result.policy.rules[0]!.then[0]!.hold).toMatchObject({
      release: { action: 8, message: '{{transaction.reference}} released' },
      reject: { action: 9, message: '' },
      withinMs: 30 * minuteMs,
      otherwise: 'keep',
    });
  });

  it('may count business hours', () => {
    const hours = 'hours: { days: mon-fri, from: "08:00", to: "18:00", holidays: [2026-12-25] }';
    const result = read(hold(`release: 8, reject: 9, within: 2h, ${hours}, otherwise: reject`));
    expect(result.ok && result.policy.holds.get(7)).toMatchObject({
      withinMs: 2 * hourMs,
      hours: { fromMs: 8 * hourMs, toMs: 18 * hourMs, days: new Set([1, 2, 3, 4, 5]) },
    });
  });

  it('may be ended sooner by a rule', () => {
    const rule =
      '  - { reason: 1, name: r, on: [operation], when: order.amount > 5, then: { action: 7, hold: { within: 10m, otherwise: reject } } }';
    const result = read(usual, rule);
    expect(result.ok && result.policy.rules[0]!.then[0]!.hold).toMatchObject({
      withinMs: 10 * minuteMs,
      otherwise: 'reject',
    });
  });

  it.each([
    [
      'no end by itself',
      hold('release: 8, reject: 9, within: 30m'),
      'hold does not say what happens when its time is over',
    ],
    ['no time', hold('release: 8, reject: 9, otherwise: keep'), 'hold has no time within which to decide'],
    [
      'no release',
      hold('reject: 9, within: 30m, otherwise: keep'),
      'hold does not say which action releases the payment',
    ],
    [
      'one action for both',
      hold('release: 8, reject: 8, within: 30m, otherwise: keep'),
      'action 8 both releases and rejects',
    ],
    [
      'itself as its end',
      hold('release: 7, reject: 9, within: 30m, otherwise: keep'),
      'action 7 cannot end its own hold',
    ],
    [
      'a defined action as its end',
      hold('release: 3, reject: 9, within: 30m, otherwise: keep'),
      'action 3 is "Send e-mail", which releases no payment',
    ],
    [
      'hours without a day',
      hold('release: 8, reject: 9, within: 30m, otherwise: keep, hours: { days: noday, from: "08:00", to: "18:00" }'),
      'noday is no day',
    ],
    [
      'hours that end first',
      hold('release: 8, reject: 9, within: 30m, otherwise: keep, hours: { days: mon, from: "18:00", to: "08:00" }'),
      'hours end before they begin',
    ],
  ])('is refused with %s', (_, actions, mistake) => {
    expect(mistakes(actions)).toContain(mistake);
  });

  it.each([
    [
      'a cooldown per client',
      'on: [operation], when: order.amount > 5, then: { action: 7 }, cooldown: 1h per client',
      'a rule that holds payments has a cooldown per client: the next payment would look approved',
    ],
    [
      'other events than operations',
      'on: [login, operation], when: client.logins > 5, then: { action: 7 }',
      'action 7 holds payments, and only operations are payments',
    ],
    [
      'the end of a hold as its action',
      'on: [operation], when: order.amount > 5, then: { action: 8 }',
      'action 8 ends a hold of action 7, and follows only from it',
    ],
    [
      'terms for an action that holds nothing',
      'on: [operation], when: order.amount > 5, then: { action: 2, hold: { within: 10m } }',
      'action 2 does not hold payments',
    ],
  ])('is refused in a rule with %s', (_, rule, mistake) => {
    expect(mistakes(usual, `  - { reason: 1, name: r, ${rule} }`)).toContain(mistake);
  });

  it('gives its own message to rules that have none', () => {
    const own = `  7: { name: Hold, message: "{{order.amount}} is held", hold: { release: 8, reject: 9, within: 30m, otherwise: keep } }${enders}`;
    const result = read(own);
    expect(result.ok && result.policy.rules[0]!.then[0]!.message).toBe('{{order.amount}} is held');
  });
});
