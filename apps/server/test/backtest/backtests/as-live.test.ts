import { loadPolicy, type Policy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { rulesAsLive, withRulesLive } from '../../../src/backtest/backtests/as-live.ts';

function policy(...rules: readonly string[]): Policy {
  const text = `rules:\n${rules.map((rule) => `  - { ${rule}, on: [operation], then: { action: 4, message: x } }\n`).join('')}`;
  const loaded = loadPolicy([{ path: 'rules.yaml', text }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.policy;
}

const kept = 'reason: 1, name: kept, when: order.amount > 1, mode: shadow';
const live = policy(kept, 'reason: 2, name: changed, when: order.amount > 2, mode: shadow');
const candidate = policy(
  'reason: 4, name: fresh, when: order.amount > 4, mode: shadow',
  kept,
  'reason: 2, name: changed, when: order.amount > 3, mode: shadow',
  'reason: 3, name: acting, when: order.amount > 3',
  'reason: 5, name: idle, when: order.amount > 3, mode: off',
);

describe('rules in shadow that run as if live', () => {
  it('can be left out, limited to the new and changed ones, or taken as a whole', () => {
    expect(rulesAsLive(candidate, live, 'none')).toEqual([]);
    expect(rulesAsLive(candidate, live, 'new')).toEqual([2, 4]);
    expect(rulesAsLive(candidate, live, 'all')).toEqual([1, 2, 4]);
  });

  it('are all in shadow without a version to compare with', () => {
    expect(rulesAsLive(candidate, undefined, 'new')).toEqual([1, 2, 4]);
  });

  it('get the mode live; the others keep theirs', () => {
    const modes = withRulesLive(candidate, [2]).rules.map(({ reason, mode }) => `${reason} ${mode}`);
    expect(modes.toSorted()).toEqual(['1 shadow', '2 live', '3 live', '4 shadow', '5 off']);
  });
});
