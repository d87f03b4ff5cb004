import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceKm } from '../../../src/compile/functions/places.ts';
import { arcSin, cosOfDegrees, sinOfDegrees } from '../../../src/compile/functions/trigonometry.ts';
import { decimal, evaluate } from '../../evaluate.ts';

describe('trigonometry', () => {
  it('equals that of the runtime, to 14 digits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -90, max: 90, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (degrees, value) => {
          expect(Math.abs(sinOfDegrees(degrees) - Math.sin((degrees * Math.PI) / 180))).toBeLessThan(1e-14);
          expect(Math.abs(cosOfDegrees(degrees) - Math.cos((degrees * Math.PI) / 180))).toBeLessThan(1e-14);
          expect(Math.abs(arcSin(value) - Math.asin(value))).toBeLessThan(1e-14);
        },
      ),
      { seed: 3, numRuns: 2_000 },
    );
  });
});

const mexicoCity = { latitude: 19.4326, longitude: -99.1332 };
const madrid = { latitude: 40.4168, longitude: -3.7038 };

describe('distance', () => {
  it.each([
    ['Mexico City to Madrid', mexicoCity, madrid, 9_062.666],
    ['around the other side', { latitude: 10, longitude: 179 }, { latitude: 10, longitude: -179 }, 219.011],
    ['half around the Earth', { latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }, 20_015.114],
    ['pole to pole', { latitude: 90, longitude: 40 }, { latitude: -90, longitude: 7 }, 20_015.114],
    ['the next house', mexicoCity, { latitude: 19.4327, longitude: -99.1332 }, 0.01112],
    ['nowhere', madrid, madrid, 0],
  ])('%s', (...[, from, to, km]) => {
    expect(distanceKm(from, to)).toBeCloseTo(km, 2);
    expect(distanceKm(to, from)).toBe(distanceKm(from, to));
  });

  it('is the same to the last digit on every machine', () => {
    expect(distanceKm(mexicoCity, madrid)).toBe(9062.666127743158);
  });

  it.each([
    ['distance(19.43, -99.13, 19.43, -99.13) == 0.0', true],
    ['distance(19, -99, 25.68, order.amount) > 700', true],
    ['distance(91.0, 0.0, 0.0, 0.0) > 1.0', undefined],
    ['distance(0.0, 0.0, 0.0, -180.5) > 1.0', undefined],
    ['speed(900.0, 1h) == 900.0 && speed(450, 30m) == 900.0', true],
    ['speed(1.0, 0s) == 3600.0', true],
    ['speed(1.0, session.age) > 1.0', undefined],
  ])('%s: %s', (text, outcome) => {
    expect(evaluate(text, { 'order.amount': decimal('-100.31') })).toBe(outcome);
  });
});
