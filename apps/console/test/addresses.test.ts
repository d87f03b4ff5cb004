import { describe, expect, it } from 'vitest';
import { readActionsSearch } from '../src/pages/deliveries/actions-search.ts';
import { readEventsSearch } from '../src/pages/events/events-search.ts';
import { readPolicySearch } from '../src/pages/policy/policy-search.ts';
import { targetsOf } from '../src/shell/search-targets.ts';

describe('addresses of pages', () => {
  it('keep valid filters and drop invalid ones', () => {
    expect(readEventsSearch({ kind: 'login', client: 42, reason: '301', fired: true, status: 'odd' })).toEqual({
      kind: 'login',
      client: '42',
      reason: 301,
      fired: true,
    });
    expect(readActionsSearch({ state: 'capped', reason: -1 })).toEqual({ state: 'capped' });
    expect(readPolicySearch({ tab: 'text', file: 'a.yaml', line: 12 })).toEqual({
      tab: 'text',
      file: 'a.yaml',
      line: 12,
    });
  });

  it('carry a condition to the form for a new rule, up to the longest of the policy language', () => {
    const longest = `order.amount > ${'1'.repeat(3_985)}`;
    expect(readPolicySearch({ when: longest })).toEqual({ when: longest });
    expect(readPolicySearch({ when: `${longest}1` })).toEqual({});
  });

  it.each([
    ['evt_1795256130_42', ['event']],
    ['act_k3v7q2ma_1795256130_42_301_0', ['action']],
    ['301', ['rule', 'anything']],
    ['ana', ['anything']],
  ])('lead from %s to %o', (text, names) => {
    expect(targetsOf(text).map(({ name }) => name)).toEqual(names);
  });
});
