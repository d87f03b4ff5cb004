/**
 * The calls of a client's backend race. With any network delays shorter than the grace, every operation of a session
 * is matched to it, and duplicate calls change nothing.
 */
import { minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { graceMs, LogBuilder, run } from '../log-builder.ts';

interface Call {
  readonly kind: 'login' | 'operation' | 'logout';
  readonly sentMs: number;
  readonly arrivesMs: number;
  readonly reference: string;
}

const delay = fc.integer({ min: 0, max: graceMs - 1 });

/** A session on the client's side: login, operations, logout, each sent one to three times. */
const calls: fc.Arbitrary<readonly Call[]> = fc
  .record({
    login: fc.array(delay, { minLength: 1, maxLength: 3 }),
    operations: fc.array(fc.tuple(fc.nat(2 * graceMs), fc.array(delay, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
      maxLength: 5,
    }),
    logoutMs: fc.nat(graceMs),
    logout: fc.array(delay, { minLength: 1, maxLength: 1 }),
  })
  .map(({ login, operations, logoutMs, logout }) => {
    const sent = (call: Omit<Call, 'arrivesMs'>, delays: readonly number[]): Call[] =>
      delays.map((delayMs) => ({ ...call, arrivesMs: call.sentMs + delayMs }));
    const lastMs = Math.max(...operations.map(([sentMs]) => sentMs));
    return [
      ...sent({ kind: 'login', sentMs: 0, reference: '' }, login),
      ...operations.flatMap(([sentMs, delays], index) =>
        sent({ kind: 'operation', sentMs, reference: `reference ${index}` }, delays),
      ),
      ...sent({ kind: 'logout', sentMs: lastMs + logoutMs, reference: '' }, logout),
    ].toSorted((a, b) => a.arrivesMs - b.arrivesMs);
  });

it('any order within the grace gives the same match, and every repeat is recognised', () => {
  fc.assert(
    fc.property(calls, (arriving) => {
      const log = new LogBuilder();
      log.settings();
      let nowMs = 0;
      const offsets = arriving.map((call) => {
        log.wait(call.arrivesMs - nowMs);
        nowMs = call.arrivesMs;
        if (call.kind === 'login') return log.login('ana', { session: 's1', body: 'login' });
        if (call.kind === 'logout') return log.logout('ana', { session: 's1', body: 'logout' });
        const statedMs = call.sentMs - call.arrivesMs;
        return log.operation('ana', { session: 's1', statedMs, reference: call.reference, body: call.reference });
      });
      log.wait(minuteMs).tick();
      const { decisions } = run(log.records);
      const decided = offsets.filter((offset) => decisions.get(offset)!.outcome === 'decided');
      const operations = decided.filter((offset) => decisions.get(offset)!.event === 'operation');
      expect(operations).toHaveLength(new Set(arriving.map(({ reference }) => reference)).size - 1);
      for (const offset of operations)
        expect(decisions.get(offset)!.session).toEqual({ matched: true, mismatch: undefined });
      expect(decisions.size).toBe(arriving.length);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});
