import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, nearest, nearestNumber } from '../../src/check/nearest.ts';

describe('distance', () => {
  it.each([
    ['', '', 0],
    ['amount', 'amount', 0],
    ['amonut', 'amount', 1],
    ['amoun', 'amount', 1],
    ['amounts', 'amount', 1],
    ['anount', 'amount', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ])('%s to %s is %i', (a, b, slips) => {
    expect(distance(a, b)).toBe(slips);
  });

  it('is symmetric, and zero only between equal words', () => {
    const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe('nearest', () => {
  it.each([
    ['licencekeys', 'licenseKeys'],
    ['license_keys', 'licenseKeys'],
    ['lsiten', 'listen'],
    ['Listen', 'listen'],
    ['mangement', 'management'],
    ['timeZone', 'timezone'],
    ['urk', 'url'],
    ['policy', undefined],
    ['', undefined],
  ])('%s is corrected to %s', (word, meant) => {
    expect(nearest(word, ['licenseKeys', 'listen', 'management', 'timezone', 'url'])).toBe(meant);
  });
});

describe('nearestNumber', () => {
  it.each([
    [1302, '1301'],
    [1902, '1102'],
    [9999, '1301'],
    [1, '1101'],
  ])('%i', (number, meant) => {
    expect(nearestNumber(number, [1101, 1102, 1301])).toBe(meant);
  });

  it('is undefined without known numbers', () => {
    expect(nearestNumber(1, [])).toBeUndefined();
  });
});

describe('nearest', () => {
  const known = ['order.amount', 'order.currency', 'client.id', 'session.id'];

  it.each([
    ['order.amonut', 'order.amount'],
    ['Order.Amount', 'order.amount'],
    ['cliend.id', 'client.id'],
    ['weather', undefined],
    ['x'.repeat(10_000), undefined],
  ])('%s means %s', (name, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });
});
