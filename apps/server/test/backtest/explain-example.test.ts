import type { Decimal } from '@ringfence/contract';
import { type FactType, type FactValue, loadPolicy, printFact } from '@ringfence/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainExample, readPrinted } from '../../src/backtest/explain-example.ts';
import type { FiredOnEvent } from '../../src/backtest/lane-report.ts';

const dayMs = 86_400_000;
/** RFC 3339 knows the years 1 to 9999. */
const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) });

describe('what a decision printed is read back as it was', () => {
  it.each<[FactType, fc.Arbitrary<FactValue>]>([
    ['string', fc.string()],
    ['int', fc.maxSafeInteger()],
    ['double', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['bool', fc.boolean()],
    ['decimal', fc.bigInt({ min: -(10n ** 32n), max: 10n ** 32n }).map((value) => value as Decimal)],
    ['timestamp', instant],
    ['duration', fc.integer({ min: -400 * dayMs, max: 400 * dayMs })],
    [
      'map',
      fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }).map((map) => new Map(Object.entries(map))),
    ],
  ])('%s', (type, value) => {
    fc.assert(
      fc.property(value, (fact) => {
        const read = readPrinted(printFact(fact, type), type);
        // No fact tells -0 from 0.
        expect(read === 0 ? 0 : read).toEqual(fact === 0 ? 0 : fact);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('what was missing stays missing', () => {
    expect(readPrinted(undefined, 'decimal')).toBeUndefined();
  });
});

it('says of each part of a rule whether it held, and on what', () => {
  const loaded = loadPolicy([
    {
      path: 'rules.yaml',
      text: `rules:
  - reason: 7
    name: odd
    on: [operation]
    when: order.amount > 100 && (order.currency == "MXN" || account.bank == "B1")
    then: { action: 4, message: x }
`,
    },
  ]);
  if (!loaded.ok) throw new Error('the policy checks');
  const event = {
    rules: [
      {
        reason: 7,
        name: 'odd',
        mode: 'live',
        suppressed: undefined,
        facts: { 'order.amount': '150.5', 'account.bank': 'B1' },
      },
    ],
  } as unknown as FiredOnEvent;
  expect(explainExample(event, loaded.policy)[0]!.conditions).toEqual([
    { text: 'order.amount > 100', holds: true, values: { 'order.amount': '150.5' } },
    { text: 'order.currency == "MXN"', holds: undefined, values: { 'order.currency': undefined } },
    { text: 'account.bank == "B1"', holds: true, values: { 'account.bank': 'B1' } },
  ]);
});
