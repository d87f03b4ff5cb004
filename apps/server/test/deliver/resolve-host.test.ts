/** Look-ups of names whose name servers hang must not delay others. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hungLookUpMs, hungLookUpsMax } from '../../src/deliver/bounds.ts';
import { systemResolver } from '../../src/deliver/transport/resolve-host.ts';

const dead = Array.from({ length: hungLookUpsMax + 2 }, (_, i) => `bank${i}.example`);

/** A resolver on which every look-up of a bank hangs until the test ends it. */
class Machine {
  nowMs = 0;
  readonly asked: string[] = [];
  readonly #hanging: PromiseWithResolvers<readonly string[]>[] = [];

  readonly resolve = systemResolver(
    (hostname) => {
      this.asked.push(hostname);
      if (!hostname.startsWith('bank')) return Promise.resolve(['203.0.113.7']);
      const answer = Promise.withResolvers<readonly string[]>();
      this.#hanging.push(answer);
      return answer.promise;
    },
    () => this.nowMs,
  );

  /** Ends look-ups, with a failure or a late answer, the longest running first. */
  async end(count: number, answer?: readonly string[]): Promise<void> {
    for (const { resolve, reject } of this.#hanging.splice(0, count)) {
      if (answer === undefined) reject(new Error('EAI_AGAIN'));
      else resolve(answer);
    }
    await new Promise(setImmediate);
  }

  /** Makes all dead names known to hang, and looks them up again. */
  async withHungNames(): Promise<readonly Promise<unknown>[]> {
    const first = dead.map((name) => this.resolve(name).catch(() => undefined));
    this.nowMs += hungLookUpMs + 1;
    await this.end(dead.length);
    await Promise.all(first);
    this.asked.length = 0;
    return dead.map((name) => this.resolve(name).catch(() => undefined));
  }
}

describe('the resolver', () => {
  it('merges concurrent look-ups of one name', async () => {
    const machine = new Machine();
    const both = [machine.resolve('bank0.example'), machine.resolve('bank0.example')];
    await machine.end(1, ['203.0.113.9']);
    expect(await Promise.all(both)).toEqual([['203.0.113.9'], ['203.0.113.9']]);
    expect(machine.asked).toHaveLength(1);
  });

  it('lets hanging names wait for each other, but no other name for them', async () => {
    const machine = new Machine();
    const again = await machine.withHungNames();
    expect(machine.asked).toEqual(dead.slice(0, hungLookUpsMax));
    expect(await machine.resolve('well.example')).toEqual(['203.0.113.7']);
    await machine.end(1);
    expect(machine.asked.slice(-1)).toEqual([dead[hungLookUpsMax]]);
    await machine.end(hungLookUpsMax);
    await machine.end(1);
    await Promise.all(again);
    expect(machine.asked).toHaveLength(dead.length + 1);
  });

  it('treats a name as good again when it resolves, however late', async () => {
    const machine = new Machine();
    const again = await machine.withHungNames();
    machine.nowMs += hungLookUpMs + 1;
    await machine.end(hungLookUpsMax, ['203.0.113.9']);
    await machine.end(dead.length, ['203.0.113.9']);
    await Promise.all(again);
    machine.asked.length = 0;
    for (const name of dead) void machine.resolve(name);
    expect(machine.asked).toEqual(dead);
  });

  it('has threads left for other names while some hang', () => {
    const program = readFileSync(fileURLToPath(new URL('../../bin/ringfence.js', import.meta.url)), 'utf8');
    const [, threads] = /UV_THREADPOOL_SIZE \?\?= '(\d+)'/.exec(program) ?? [];
    // libuv allows look-ups half of its threads.
    expect(Number(threads) / 2).toBeGreaterThanOrEqual(2 * hungLookUpsMax);
  });
});
