import { describe, expect, it } from 'vitest';
import { isNearMiss } from '../../src/explain/near-miss.ts';
import { factsOf, policyOf } from '../load.ts';

/** A condition over three facts; omitted ones are missing. */
function misses(when: string, values: Readonly<Record<string, number | string>>): boolean {
  const policy = policyOf(`
rules:
  - { reason: 1, name: one, on: [operation], when: '${when}', then: { action: 1, message: m } }
`);
  return isNearMiss(policy.rules[0]!, factsOf(policy, values));
}

const both = 'channelId == 1 && account.bank == "B1" && order.currency == "MXN"';

describe('a near miss', () => {
  it.each([
    ['of what needs all', both, { channelId: 1, 'account.bank': 'B1', 'order.currency': 'EUR' }],
    ['with a missing fact', both, { channelId: 1, 'account.bank': 'B1' }],
    ['of what needs one of two', 'channelId == 1 || account.bank == "B1"', { channelId: 2, 'account.bank': 'B2' }],
    ['of what must not be', 'channelId == 1 && !(account.bank == "B1")', { channelId: 1, 'account.bank': 'B1' }],
    ['of a single part', 'channelId == 1', { channelId: 2 }],
  ])('is one part away: %s', (...[, when, values]) => {
    expect(misses(when, values)).toBe(true);
  });

  it.each([
    ['it matches', both, { channelId: 1, 'account.bank': 'B1', 'order.currency': 'MXN' }],
    ['two parts are missing', both, { channelId: 1 }],
    ['two must not be', '!(channelId == 1 || account.bank == "B1")', { channelId: 1, 'account.bank': 'B1' }],
  ])('is not reported if %s', (...[, when, values]) => {
    expect(misses(when, values)).toBe(false);
  });
});
