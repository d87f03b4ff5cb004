import { minuteMs, secondMs } from '@ringfence/contract';
import type { MemoryOutbox } from '@ringfence/delivery/memory';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/deliver/transport/transport.ts';
import { code1, down, makeHarness } from './support/dispatcher-harness.ts';
import { sealedAction } from './support/test-actions.ts';
import { testWorkspace } from './support/workspace-fixture.ts';

const workspace = testWorkspace();
const everyMs = 200;

/** Of the second process: the first one has its lease before. */
const farMs = 50;

/** Two processes on one outbox. The first one is nearer to it, and finds no connection while `isCutOff`. */
async function makeTwo() {
  const harness = await makeHarness([workspace]);
  const { outbox, clock } = harness;
  const cut = { isCutOff: true, attempts: 0, executed: 0 };
  const transport: Transport = {
    send: async () => {
      cut.attempts += 1;
      if (!cut.isCutOff) cut.executed += 1;
      return cut.isCutOff ? down : code1;
    },
    close: () => Promise.resolve(),
  };
  harness.start({ transport });
  let offset = 0;
  /** An action every 200 ms. */
  const request = async (forMs: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let atMs = 0; atMs < forMs; atMs += everyMs) {
      const action = sealedAction(workspace, { offset: ++offset });
      ids.push(action.id);
      await outbox.insert([action]);
      await clock.advance(everyMs);
    }
    return ids;
  };
  const far = new Proxy(outbox, {
    get: (target, name: keyof MemoryOutbox) => {
      if (name === 'lease')
        return async (...asked: Parameters<MemoryOutbox['lease']>) => {
          await new Promise<void>((resolve) => void clock.after(farMs, resolve));
          return target.lease(...asked);
        };
      const value = target[name] as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const startFar = () => harness.start({ outbox: far });
  return { ...harness, cut, request, startFar };
}

describe('a process that cannot reach an endpoint', () => {
  it('leaves its actions to a process that can, and tries one every 10 s', async () => {
    const { startFar, outbox, clock, cut, request, alerts } = await makeTwo();
    startFar();
    const ids = await request(2 * minuteMs);
    await clock.advance(10 * secondMs);
    const found = await Promise.all(ids.map((id) => outbox.find(workspace.id, id)));
    expect(new Set(found.map((action) => action?.state))).toEqual(new Set(['executed']));
    expect(Math.max(...found.map((action) => action?.attempts ?? 0))).toBe(2);
    // The first ones, and then one in 10 s.
    expect(cut.attempts).toBeGreaterThan(10);
    expect(cut.attempts).toBeLessThan(25);
    expect(alerts.filter((line) => line.includes('this process does not'))).toHaveLength(1);
  });

  it('takes its share again from its first answer on', async () => {
    const { startFar, cut, request } = await makeTwo();
    startFar();
    await request(minuteMs);
    cut.isCutOff = false;
    await request(20 * secondMs);
    const before = cut.executed;
    await request(10 * secondMs);
    expect(cut.executed - before).toBe((10 * secondMs) / everyMs);
  });

  it('does not rest while no other process reaches it: the breaker opens as ever', async () => {
    const { outbox, cut, request, alerts } = await makeTwo();
    await request(10 * secondMs);
    expect((await outbox.endpoint(workspace.id)).state).toBe('open');
    expect(cut.attempts).toBe(10);
    expect(alerts.filter((line) => line.includes('this process does not'))).toEqual([]);
  });
});
