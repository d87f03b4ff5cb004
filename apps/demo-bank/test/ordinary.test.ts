import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ordinaryTraffic } from '../src/play/ordinary.ts';
import { seededRandom } from '../src/play/random.ts';
import type { Step } from '../src/play/story.ts';

const plan = { clients: 60, spanMs: 20_000 };
const traffic = (seed: number): readonly Step[] => ordinaryTraffic(seededRandom(seed), plan);
const seeds = fc.integer({ min: 0, max: 0xffff_ffff });

function byUser(steps: readonly Step[]): readonly (readonly Step[])[] {
  return [...Map.groupBy(steps, ({ user }) => user).values()];
}

it('depends on the seed only', () => {
  expect(traffic(7)).toEqual(traffic(7));
  expect(traffic(8)).not.toEqual(traffic(7));
});

it('stays within its time span for every seed', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const times = traffic(seed).map(({ atMs }) => atMs);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...times)).toBeLessThanOrEqual(plan.spanMs);
    }),
    { seed: 1, numRuns: 200 },
  );
});

/** The bounds in the README of the starter policy for clients that trigger nothing. */
it('triggers no rule of the starter policy', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      for (const steps of byUser(traffic(seed))) {
        const payments = steps.filter((step) => step.does === 'operate' && step.amount !== undefined);
        const payees = new Set(payments.map((step) => step.does === 'operate' && step.payee?.account));
        const logins = steps.filter((step) => step.does === 'logIn');
        expect(payments.length).toBeLessThan(6);
        expect(payees.size).toBeLessThan(5);
        expect(logins.length).toBeLessThan(10);
        expect(new Set(logins.map((step) => step.does === 'logIn' && step.ip)).size).toBeLessThan(4);
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

it('contains out-of-order events like real traffic', () => {
  const steps = traffic(1);
  const firsts = [...Map.groupBy(steps, ({ session }) => session).values()].map(
    (session) => session.toSorted((a, b) => a.atMs - b.atMs)[0],
  );
  expect(firsts.some((step) => step?.does === 'operate')).toBe(true);
  expect(steps.some((step) => step.does === 'operate' && (step.datedMs ?? 0) < 0)).toBe(true);
});
