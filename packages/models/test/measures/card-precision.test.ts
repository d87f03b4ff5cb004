import { expect, it } from 'vitest';
import { cardPrecision } from '../../src/measures/card-precision.ts';

type Payment = readonly [day: number, client: number, score: number, fraud: number];

function measured(payments: readonly Payment[], clientsADay: number): ReturnType<typeof cardPrecision> {
  const column = (at: 0 | 1 | 2 | 3): readonly number[] => payments.map((payment) => payment[at]);
  return cardPrecision({ days: column(0), clients: column(1), scores: column(2), labels: column(3) }, clientsADay);
}

it('takes the highest score of each client a day, and leaves out who was found', () => {
  const result = measured(
    [
      [1, 10, 0.9, 0], // the client's highest score; the fraud is another payment of the day
      [1, 10, 0.1, 1],
      [1, 11, 0.8, 0],
      [1, 12, 0.7, 1], // third, so not examined
      [2, 10, 0.9, 1], // found on the day before
      [2, 12, 0.6, 1],
      [2, 11, 0.5, 0],
      [2, 13, 0.4, 1],
      [5, 11, 0.4, 0],
    ],
    2,
  );
  expect(result?.byDay).toEqual([
    { day: 1, found: 1, precision: 0.5 },
    { day: 2, found: 1, precision: 0.5 },
    { day: 5, found: 0, precision: 0 },
  ]);
  expect(result?.mean).toBeCloseTo(1 / 3, 14);
});

it('examines the client with the lower number first if scores are equal', () => {
  const day = (...clients: readonly number[]): readonly Payment[] =>
    clients.map((client) => [1, client, 0.5, client === 2 ? 1 : 0]);
  expect(measured(day(3, 2), 1)?.mean).toBe(1);
  expect(measured(day(2, 1), 1)?.mean).toBe(0);
});

it('divides by the clients that can be examined, even if fewer paid', () => {
  expect(measured([[1, 1, 1, 1]], 100)?.mean).toBe(0.01);
  expect(measured([], 100)).toBeUndefined();
});
