/**
 * Goal: a decision does not depend on which records are stepped together. Method: recorded histories and random ones
 * are stepped in batches of several sizes, by a host that also restarts at random moments from an older checkpoint.
 * Every batch size gives the same SHA-256 of all effects, and of everything stored at the end, as stepping record by
 * record without a restart.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EngineRecord } from '../../src/record.ts';
import { bankDay } from '../golden/bank-day.ts';
import { deviceDay } from '../golden/device-day.ts';
import { LogBuilder } from '../log-builder.ts';
import { prng, type Random } from '../prng.ts';
import { Coverage } from './coverage.ts';
import {
  historyExcluding,
  historyOf,
  historyOfHolds,
  historyOfLogins,
  historyOverLabels,
  seededHistory,
  tellOf,
} from './history.ts';
import { HostTwin } from './host-twin.ts';

const batchSizes = [1, 2, 3, 7, 64];
const eventsPerHistory = 120;
const only = process.env['SIM_SEED'];
const seeds = only === undefined ? Array.from({ length: 200 }, (_, index) => index + 1) : [Number(only)];

const fewSeeds = Array.from({ length: 48 }, (_, index) => index + 1);

function digestOf(told: readonly string[]): string {
  return createHash('sha256').update(told.join('\n')).digest('hex');
}

/** @param restarts how many of a hundred batches end with a restart */
function toldInBatches(
  records: readonly EngineRecord[],
  batch: number,
  { random, restarts }: { readonly random: Random; readonly restarts: number },
): readonly string[] {
  const host = new HostTwin();
  const told: string[] = [];
  while (host.nextOffset < records.length) {
    const end = Math.min(records.length, host.nextOffset + batch);
    while (host.nextOffset < end) {
      const from = host.nextOffset;
      const effects = host.stepSome(records.slice(from, end), records.slice(0, from));
      for (const [place, of] of effects.entries()) told[from + place] = tellOf(of);
    }
    if (random(3) === 0) host.capture();
    if (random(3) === 0) host.store();
    if (random(100) < restarts) host.crash();
  }
  return [...told, ...[...host.finalState()].map((entry) => entry.join(' ')).toSorted()];
}

/** Record by record, without a restart. */
function toldOneByOne(records: readonly EngineRecord[]): readonly string[] {
  return toldInBatches(records, 1, { random: () => 0, restarts: 0 });
}

describe.each(batchSizes)('stepped in batches of %i', (batch) => {
  it.each([
    ['bank', bankDay],
    ['device', deviceDay],
  ])('decides the recorded day of a %s as record by record', (_, day) => {
    const log = new LogBuilder();
    day(log);
    const expected = toldOneByOne(log.records);
    for (const restarts of [0, 20]) {
      const told = toldInBatches(log.records, batch, { random: prng(batch), restarts });
      expect(digestOf(told)).toBe(digestOf(expected));
    }
  });
});

const coverage = new Coverage();

describe('a random history', () => {
  it.each(seeds)(
    'is decided the same in every batch size (SIM_SEED=%i vitest run --project unit packages/engine/test/simulation)',
    (seed) => {
      const history = seededHistory(prng(seed), seed, eventsPerHistory);
      coverage.add(history);
      const straight = toldOneByOne(history.records);
      expect(straight.slice(0, history.told.length)).toEqual(history.told);
      const expected = digestOf(straight);
      for (const [place, batch] of batchSizes.entries()) {
        const random = prng(seed * batchSizes.length + place);
        const told = toldInBatches(history.records, batch, { random, restarts: seed % 2 === 0 ? 0 : 10 });
        // Where it differs: a record, or after them an entity of the final state.
        const at = told.findIndex((text, line) => text !== straight[line]);
        expect([digestOf(told), at], `batches of ${batch}, ${history.records.length} records`).toEqual([expected, -1]);
      }
    },
  );

  it.each([
    ...fewSeeds.map((seed) => ['held payments', seed, historyOfHolds] as const),
    ...fewSeeds.map((seed) => ['features that leave out the event', seed, historyExcluding] as const),
    ...fewSeeds.map((seed) => ['features over labels', seed, historyOverLabels] as const),
    ...fewSeeds.map((seed) => ['surprising logins', seed, historyOfLogins] as const),
  ])('with %s is decided the same in every batch size (seed %i)', (_, seed, options) => {
    const history = historyOf(prng(seed), eventsPerHistory, options);
    coverage.add(history);
    const straight = toldOneByOne(history.records);
    expect(straight.slice(0, history.told.length)).toEqual(history.told);
    for (const [place, batch] of batchSizes.entries()) {
      const random = prng(seed * batchSizes.length + place);
      const told = toldInBatches(history.records, batch, { random, restarts: seed % 2 === 0 ? 0 : 10 });
      const at = told.findIndex((text, line) => text !== straight[line]);
      expect([digestOf(told), at], `batches of ${batch}`).toEqual([digestOf(straight), -1]);
    }
  });

  it.skipIf(only !== undefined)('all histories cover every fact, every effect and every kind of record', () => {
    expect(coverage.missing).toEqual([]);
  });
});
