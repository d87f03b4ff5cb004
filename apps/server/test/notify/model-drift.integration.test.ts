/** Goal: a shift is reported on the next day, and ten weeks of the same distribution report nothing. */
import { type DecimalText, type EpochMs, dayMs, hourMs } from '@ringfence/contract';
import { newState, step } from '@ringfence/engine';
import { inputPopulation, stabilityAlarms, stabilityWarns } from '@ringfence/models';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ModelCounts } from '../../src/decide/model-counts.ts';
import { addModelCounts, readNewestDrift } from '../../src/decide/model-days.ts';
import { WorkspaceConditions } from '../../src/notify/conditions.ts';
import { textOf } from '../../src/notify/message-text.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { makeScene, type Scene } from '../decide/support.ts';
import { driftPolicy } from '../support/drift-policy.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

/** Midnight, UTC. */
const beginMs = Date.parse('2026-03-02T00:00:00Z');
/** Just above the floor, where chance is greatest. */
const eventsADay = 1_300;
const weeks = 10;

let home: Installation;
let scene: Scene;
let feed: Feed;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  feed = new Feed();
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

let seed = 11;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

/** Long-tailed, as amounts are. @param shifted the share of those that are four times as large */
function amount(shifted: number): number {
  const scale = random() < shifted ? 4 : 1;
  return Math.round(((20 * scale) / (1.0001 - random())) * 100) / 100;
}

/** Steps operations of one day after another, and counts them as the deciding thread does. */
class Feed {
  readonly #counts = new ModelCounts();
  readonly #state = newState({ complete: true, onEvaluated: this.#counts.add });
  #offset = 0;
  #day = 0;

  constructor() {
    const amounts = Float64Array.from({ length: 40_000 }, () => amount(0));
    const population = {
      margins: inputPopulation(
        amounts.map((one) => (one <= 100 ? -1 : 1)),
        undefined,
      ),
      inputs: [
        inputPopulation(amounts, undefined),
        inputPopulation(
          amounts.map(() => 1),
          ['login', 'operation'],
        ),
      ],
    };
    step(this.#state, { kind: 'policy', version: 1, policy: driftPolicy(population), ...this.#place(beginMs) });
  }

  /** @returns an hour after the day */
  async pass(shifted: number, count = eventsADay): Promise<number> {
    const fromMs = beginMs + this.#day++ * dayMs;
    for (let i = 0; i < count; i++) {
      const atMs = fromMs + Math.floor((i * dayMs) / count);
      const event = {
        kind: 'operation' as const,
        channelId: 1,
        account: { client: 'ana' },
        order: { amount: String(amount(shifted)) as DecimalText, currency: 'MXN' },
      };
      const enrichment = { facts: {}, statedAtMs: atMs as EpochMs };
      step(this.#state, {
        kind: 'event',
        event,
        enrichment,
        subject: `subject ${i % 50}`,
        bodyHash: `${this.#offset}`,
        retryOf: undefined,
        ...this.#place(atMs),
      });
      // As often as checkpoints come.
      if (i % 500 === 0) await this.#write();
    }
    await this.#write();
    return fromMs + dayMs + hourMs;
  }

  #place(atMs: number): { readonly offset: number; readonly logTimeMs: EpochMs } {
    return { offset: this.#offset++, logTimeMs: atMs as EpochMs };
  }

  #write(): Promise<void> {
    return inTransaction(scene.pool, (client) => addModelCounts(client, scene.workspace.id, this.#counts.take()));
  }
}

async function told(nowMs: number, hundredths = 10, before: readonly string[] = []) {
  const client = await scene.pool.connect();
  try {
    const { id, settings } = scene.workspace;
    const conditions = new WorkspaceConditions({
      client,
      workspace: { id, settings },
      nowMs,
      backlogs: async () => [],
    });
    return await conditions.of({ modelDrift: { hundredths } }, new Set(before));
  } finally {
    client.release();
  }
}

async function indexOf(nowMs: number): Promise<number> {
  const [drift] = await readNewestDrift(scene.pool, { workspaceIds: [scene.workspace.id], nowMs });
  return Math.max(...drift!.inputs.map(({ index }) => index));
}

it('is silent in ten weeks of the same distribution', async () => {
  const days: (readonly [told: number, index: number])[] = [];
  for (let day = 0; day < weeks * 7; day++) {
    const nowMs = await feed.pass(0);
    days.push([(await told(nowMs)).length, await indexOf(nowMs)]);
  }
  expect(days).toHaveLength(70);
  expect(days.filter(([conditions]) => conditions > 0)).toEqual([]);
  const highest = Math.max(...days.map(([, index]) => index));
  expect(highest).toBeGreaterThan(0);
  expect(highest).toBeLessThan(stabilityWarns / 2);
});

it('says nothing of a day that is not over, or has too few values', async () => {
  const nowMs = await feed.pass(1, 900);
  expect(await told(nowMs)).toEqual([]);
  expect(await told(nowMs - 2 * hourMs)).toEqual([]);
});

it('warns of a small shift, and alarms of a large one on the next day', async () => {
  const nowMs = await feed.pass(0.3);
  const [warned, ...others] = await told(nowMs);
  expect(others).toEqual([]);
  expect(warned).toMatchObject({
    event: 'modelDrift',
    key: 'modelDrift:cards',
    facts: { model: 'cards', input: 'amount', level: 'warning', day: '2026-05-12' },
  });
  expect(warned!.facts['index']).toBeGreaterThan(stabilityWarns);
  expect(warned!.facts['index']).toBeLessThan(stabilityAlarms);
  expect(await told(nowMs, 25)).toEqual([]);

  const nextMs = await feed.pass(1);
  expect(await told(nextMs - 2 * hourMs, 25)).toEqual([]);
  for (const hundredths of [10, 25]) {
    const [alarmed] = await told(nextMs, hundredths);
    expect(alarmed).toMatchObject({ key: 'modelDrift:cards:alarm', facts: { level: 'alarm', input: 'amount' } });
    expect(alarmed!.facts['index']).toBeGreaterThan(stabilityAlarms);
  }
  const [alarmed] = await told(nextMs);
  expect(textOf(alarmed!, 'en')).toMatch(
    /^Input amount of model cards drifted \(alarm\): stability index \d\.\d+ on 2026-05-13 against its training$/,
  );
  expect(textOf(alarmed!, 'es')).toMatch(/^La entrada amount del modelo cards se desvió \(alarma\): índice/);
});

it('stays until half of what began it, and is over then', async () => {
  const nowMs = await feed.pass(0.3);
  const alarm = ['modelDrift:cards:alarm'];
  expect((await told(nowMs, 10, alarm)).map(({ key }) => key)).toEqual(alarm);
  expect((await told(nowMs)).map(({ key }) => key)).toEqual(['modelDrift:cards']);
  const quietMs = await feed.pass(0);
  expect(await told(quietMs, 10, alarm)).toEqual([]);
  expect(textOf({ event: 'modelDrift', over: true, facts: { what: 'cards:alarm' } }, 'en')).toBe(
    'The drift of model cards is over, or its level changed',
  );
});
