import { dayMs, type Decimal, parseDecimal } from '@ringfence/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FactType, FactValue } from '../../src/facts/fact-value.ts';
import { printFact } from '../../src/facts/print-fact.ts';
import { readFact } from '../../src/facts/read-fact.ts';

const facts: readonly (readonly [FactType, FactValue])[] = [
  ['string', 'ana'],
  ['string', ''],
  ['int', -7],
  ['double', 0.1],
  ['bool', true],
  ['bool', false],
  ['decimal', parseDecimal('1500.50')],
  ['decimal', parseDecimal('-0.000001')],
  ['timestamp', Date.UTC(2026, 10, 21, 2, 14, 0, 250)],
  ['duration', 5_400_000],
  ['duration', -60_000],
  ['duration', 0],
  ['map', new Map([['a', 'b"c']])],
];

it.each(facts)('reads a %s as it was printed: %s', (type, value) => {
  expect(readFact(printFact(value, type), type)).toEqual(value);
});

it.each(['int', 'bool', 'decimal', 'timestamp', 'duration', 'map'] as const)('refuses an invalid %s', (type) => {
  expect(readFact('x', type)).toBeUndefined();
});

it.each<[FactType, fc.Arbitrary<FactValue>]>([
  ['string', fc.string()],
  ['int', fc.maxSafeInteger()],
  ['double', fc.double({ noNaN: true, noDefaultInfinity: true })],
  ['bool', fc.boolean()],
  ['decimal', fc.bigInt({ min: -(10n ** 32n), max: 10n ** 32n }).map((value) => value as Decimal)],
  // RFC 3339 knows the years 1 to 9999.
  ['timestamp', fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })],
  ['duration', fc.integer({ min: -400 * dayMs, max: 400 * dayMs })],
  [
    'map',
    fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }).map((map) => new Map(Object.entries(map))),
  ],
])('reads any %s as it was printed', (type, value) => {
  fc.assert(
    fc.property(value, (fact) => {
      const read = readFact(printFact(fact, type), type);
      // No fact distinguishes -0 from 0.
      expect(read === 0 ? 0 : read).toEqual(fact === 0 ? 0 : fact);
    }),
    { seed: 1, numRuns: 500 },
  );
});
