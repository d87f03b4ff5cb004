/** One workspace in shards, on a small history with few terminals: most of what is side by side touches the same ones. */
import type { EventRecord } from '@ringfence/engine';
import { seededRandom } from '@ringfence/e2e';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordOf } from '../src/engine/records.ts';
import { historyOf } from '../src/handbook/history.ts';
import { syntheticRows } from '../src/handbook/synthetic-rows.ts';
import { planVisits } from '../src/handbook/visits.ts';
import { policyFiles } from '../src/product/bench-policy.ts';
import { controlRecords } from '../src/shards/shard-engine.ts';
import { crowded } from '../src/shards/shards.ts';
import { byClient, decideAlone, live, type Lived, replay } from '../src/shards/simulation.ts';
import { type SplitPolicy, splitPolicy } from '../src/shards/split-policy.ts';

const rows = syntheticRows(7);
const records = crowded(
  historyOf(rows, planVisits(rows, 7))
    .slice(0, 4_000)
    .map((event, at) => recordOf(event, controlRecords + at) as EventRecord),
  40,
);
const one = { records, shards: 1 };
const four = { records, shards: 4 };

let split: SplitPolicy;
beforeAll(async () => {
  split = splitPolicy(await policyFiles('cards'));
});

function lived(seed: number, apart = 200): Lived {
  return live(four, split, { random: seededRandom(seed), apart });
}

describe('a policy in parts', () => {
  it('knows which features are about terminals, and which rules read them', () => {
    const { whole, clientOnly, ofClients, ofEntities, shared } = split;
    expect(shared.map(({ name }) => name)).toEqual(
      whole.features.map(({ name }) => name).filter((name) => name.startsWith('terminal')),
    );
    expect(ofClients.features.length + ofEntities.features.length).toBe(whole.features.length);
    expect(clientOnly.rules.some(({ text }) => text.includes('terminalCount'))).toBe(false);
    expect(clientOnly.rules.length).toBeGreaterThan(20);
    expect(clientOnly.rules.length).toBeLessThan(whole.rules.length);
  });

  it('is refused if it is about something that the simulation does not know', async () => {
    const files = await policyFiles('forty');
    expect(() => splitPolicy(files)).toThrow('payee.id');
  });
});

describe('shards', () => {
  it('share the events by their clients', () => {
    const parts = byClient(four);
    expect(parts.flat().toSorted((a, b) => a - b)).toEqual([...records.keys()]);
    const clients = parts.map((numbers) => new Set(numbers.map((number) => records[number]!.subject)));
    expect(clients.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(records.map(({ subject }) => subject)).size);
    expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(records.length / 8);
  });

  it('decide by rules about the client alone as one engine', () => {
    const plain = decideAlone(one, split.clientOnly).decisions;
    const { decisions } = decideAlone(four, split.clientOnly);
    expect(decisions.count).toBe(records.length);
    expect(decisions.digest).toBe(plain.digest);
  });

  it('decide by all rules as one engine, if one event follows another', () => {
    const plain = decideAlone(one, split.whole).decisions;
    const { decisions, sent } = lived(1, 1);
    expect(decisions.count).toBe(records.length);
    expect(sent.touches).toBe(records.filter(({ event }) => event.kind === 'operation').length);
    expect(decisions.differing(plain)).toEqual({ bits: 0, acts: 0 });
    expect(live(one, split, { random: seededRandom(1), apart: 500 }).decisions.digest).toBe(plain.digest);
  });

  it.each([1, 2])('replay bit-equal from the recorded orders, side by side in any order (seed %i)', (seed) => {
    const { decisions, orders } = lived(seed);
    expect(replay(four, split, orders).decisions.digest).toBe(decisions.digest);
  });

  it('decide otherwise in another order, so a replay needs the recorded one', () => {
    const [first, second] = [lived(1), lived(2)];
    expect(first.decisions.differing(second.decisions).bits).toBeGreaterThan(0);
    const sorted = first.orders.map((order) => order.toSorted((a, b) => a - b));
    expect(sorted).not.toEqual(first.orders);
    expect(replay(four, split, sorted).decisions.differing(first.decisions).bits).toBeGreaterThan(0);
  });
});
