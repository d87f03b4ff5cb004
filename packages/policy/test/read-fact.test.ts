import { parseDecimal } from '@ringfence/contract';
import { expect, it } from 'vitest';
import type { FactType, FactValue } from '../src/fact-value.ts';
import { printFact } from '../src/print-fact.ts';
import { readFact } from '../src/read-fact.ts';

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

it.each(['int', 'bool', 'decimal', 'timestamp', 'duration', 'map'] as const)('says of a %s that it is none', (type) => {
  expect(readFact('x', type)).toBeUndefined();
});
