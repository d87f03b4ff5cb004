import { loadPolicy } from '@ringfence/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BitSet } from '../../../src/backtest/backtests/bit-set.ts';
import { ChangeTally } from '../../../src/backtest/backtests/change-tally.ts';
import { ExamplePicker } from '../../../src/backtest/backtests/examples.ts';
import type { FiredOnEvent } from '../../../src/backtest/backtests/worker-report.ts';
import { OutcomeTally } from '../../../src/backtest/backtests/outcome-tally.ts';
import { scattered, BottomKSample } from '../../../src/backtest/backtests/bottom-k-sample.ts';

const loaded = loadPolicy([
  {
    path: 'rules.yaml',
    text: `actions: { 9: Call the client }
rules:
  - { reason: 1, name: one, on: [operation], when: order.amount > 1, then: { action: 9, message: x } }
  - { reason: 2, name: two, on: [operation], when: order.amount > 2, then: { action: 4, message: x } }
  - { reason: 3, name: three, on: [operation], when: order.amount > 3, then: { action: 4, message: x }, mode: shadow }
`,
  },
]);
if (!loaded.ok) throw new Error('the policy checks');
const { policy } = loaded;

let offset = 0;
/** An event on which these rules fired: `1` live, `-1` within its cooldown, 3 is in shadow. */
function fired(rules: readonly number[], more: Partial<FiredOnEvent> = {}): FiredOnEvent {
  return {
    offset: offset++,
    atMs: 0 as FiredOnEvent['atMs'],
    event: 'operation',
    subject: 's1',
    client: 'ana',
    label: undefined,
    amount: '10.10' as FiredOnEvent['amount'],
    currency: 'MXN',
    rules: rules.map((rule) => ({
      reason: Math.abs(rule),
      name: '',
      mode: Math.abs(rule) === 3 ? 'shadow' : 'live',
      suppressed: rule < 0 ? 'cooldown' : undefined,
      facts: {},
    })),
    actions: rules
      .filter((rule) => rule > 0 && rule < 3)
      .map((reason) => ({ reason, action: reason === 1 ? 9 : 4, isCapped: reason === 2 })),
    ...more,
  };
}

it('an outcome counts events, clients, money and actions by the labels of the events', () => {
  const tally = new OutcomeTally(policy);
  tally.add(fired([1, 2], { label: 'fraud' }));
  tally.add(fired([-1], { label: 'fraud', subject: 's2', amount: '0.000001' as FiredOnEvent['amount'] }));
  tally.add(fired([1], { label: 'legitimate', subject: 's2' }));
  tally.add(fired([1], { label: 'legitimate', subject: 's2', currency: undefined }));
  tally.add(fired([2], { subject: undefined, amount: undefined }));
  tally.add(fired([3], { label: 'fraud', subject: 's3' }));
  tally.add(fired([], { label: 'fraud', subject: 's4', currency: 'EUR' }));
  const result = tally.result(4, new Map([[2, 17]]));
  expect(result).toMatchObject({
    flagged: { events: 5, fraud: 2, legitimate: 2, unlabelled: 1 },
    clients: 2,
    legitimateClients: 1,
    precision: 0.5,
    recall: 0.5,
    missed: {
      events: 2,
      money: [
        { currency: 'EUR', fraud: '10.10' },
        { currency: 'MXN', fraud: '10.10' },
      ],
    },
    money: [
      { currency: '', fraud: '0.00', legitimate: '10.10', unlabelled: '0.00' },
      { currency: 'MXN', fraud: '10.100001', legitimate: '10.1000', unlabelled: '0.0000' },
    ],
    actions: [
      { action: 4, name: undefined, count: 2, capped: 2 },
      { action: 9, name: 'Call the client', count: 3, capped: 0 },
    ],
  });
  expect(result.rules).toMatchObject([
    {
      reason: 1,
      matches: { events: 4, fraud: 2, legitimate: 2 },
      suppressed: 1,
      actions: 3,
      capped: 0,
      clients: 2,
      legitimateClients: 1,
      precision: 0.5,
      missing: 0,
    },
    {
      reason: 2,
      matches: { events: 2, fraud: 1, legitimate: 0 },
      suppressed: 0,
      actions: 2,
      capped: 2,
      clients: 1,
      precision: 1,
      missing: 17,
    },
    { reason: 3, mode: 'shadow', matches: { events: 1 }, actions: 0, clients: 1, precision: 1 },
  ]);
});

it('without labels there is neither precision nor recall', () => {
  const tally = new OutcomeTally(policy);
  tally.add(fired([1]));
  expect(tally.result(0, new Map())).toMatchObject({ precision: undefined, recall: undefined });
});

it('a change is an event that one policy flags and the other does not', () => {
  const changes = new ChangeTally();
  const [both, onlyNew, onlyOld] = [fired([1]), fired([2], { label: 'fraud' }), fired([-1], { label: 'legitimate' })];
  const inShadow = { ...onlyOld, rules: fired([3]).rules };
  const report = (...events: FiredOnEvent[]): Parameters<ChangeTally['add']>[0] => ({ fired: events, waiting: [] });
  expect(
    changes.add(report(both, onlyNew, inShadow), report(both, onlyOld)).map(({ change, event }) => [change, event]),
  ).toEqual([
    ['newlyFlagged', onlyNew],
    ['noLongerFlagged', onlyOld],
  ]);
  expect(changes.result()).toMatchObject({
    newlyFlagged: { events: 1, fraud: 1, legitimate: 0 },
    noLongerFlagged: { events: 1, fraud: 0, legitimate: 1 },
  });
});

describe('examples', () => {
  it('are the same for any batching of the events, and not just the first ones', () => {
    const events = Array.from({ length: 3_000 }, () => fired([1]));
    const picked = (pieces: readonly (readonly FiredOnEvent[])[]): readonly number[] => {
      const picker = new ExamplePicker();
      for (const piece of pieces) for (const event of piece) picker.add(event);
      return picker.result().map(({ event }) => event.offset);
    };
    const whole = picked([events]);
    expect(whole).toHaveLength(5);
    expect(picked([events.slice(0, 7), events.slice(7, 1_900), events.slice(1_900)])).toEqual(whole);
    expect(whole.at(-1)! - whole[0]!).toBeGreaterThan(300);
  });

  it('keep the smallest ranks', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1_000)), fc.nat(8), (ranks, limit) => {
        const smallest = new BottomKSample<number>(limit);
        for (const rank of ranks) smallest.add(rank, rank);
        expect(smallest.items()).toEqual(ranks.toSorted((a, b) => a - b).slice(0, limit));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('scatter neighbours', () => {
    const ranks = Array.from({ length: 1_000 }, (_, i) => scattered(i));
    expect(new Set(ranks).size).toBe(1_000);
    const low = ranks.filter((rank) => rank < 2 ** 31).length;
    expect(low).toBeGreaterThan(450);
    expect(low).toBeLessThan(550);
  });
});

it('a bit set contains the same as a set', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000)), (values) => {
      const bits = new BitSet();
      for (const value of values) bits.add(value);
      expect(bits.size).toBe(new Set(values).size);
    }),
    { seed: 1, numRuns: 200 },
  );
});
