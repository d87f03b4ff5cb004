/**
 * Goal: nothing visible to a customer depends on when the process stops, what is in memory, or how records are
 * batched. Method: a random history is stepped, record by record, by an engine that never stops and has everything in
 * memory; then, several records together, by a host that crashes at random moments and restores an older checkpoint,
 * that evicts, deletes expired entities, stores checkpoints late, and reads batches of any size. Every record must
 * lead to the same bytes, and in the end the same state must be stored.
 *
 * Source: docs/decisions/0009-entity-state-and-snapshots.md
 */
import { featureKinds } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { prng, type Random } from '../prng.ts';
import { type History, seededHistory, tellOf } from './history.ts';
import { HostTwin } from './host-twin.ts';
import { policiesOfKinds, policiesOverLabels } from './policies.ts';

const eventsPerHistory = 120;
const only = process.env['SIM_SEED'];
const seeds = only === undefined ? Array.from({ length: 200 }, (_, index) => index + 1) : [Number(only)];

/** What all runs covered together: a simulation that covers nothing proves nothing. */
const met = { together: 0, crashes: 0, steppedAgain: 0, questions: 0, evictions: 0, waits: 0, actions: 0, labels: 0 };

function crashing(history: History, random: Random): HostTwin {
  const host = new HostTwin();
  let stepped = 0;
  while (host.nextOffset < history.records.length) {
    const batch = history.records.slice(host.nextOffset, host.nextOffset + 1 + random(20));
    if (random(2) === 0) host.prefetch(batch);
    while (host.nextOffset <= batch.at(-1)!.offset) {
      const from = host.nextOffset;
      const effects = host.stepSome(batch.slice(from - batch[0]!.offset), history.records.slice(0, from));
      for (const [place, of] of effects.entries()) {
        if (tellOf(of) !== history.told[from + place]) throw new Error(`record ${from + place} is decided differently`);
      }
      stepped += effects.length;
      if (effects.length > 1) met.together++;
    }
    if (random(3) === 0) host.capture();
    if (random(3) === 0) host.store();
    if (random(4) === 0) host.dropExpired();
    if (random(3) === 0) met.evictions += host.evict(random(10_000));
    if (random(8) === 0) {
      host.crash();
      met.crashes++;
    }
  }
  met.questions += host.questions;
  met.steppedAgain += stepped - history.records.length;
  return host;
}

describe('a crash at any moment', () => {
  it.each(seeds)('changes nothing (SIM_SEED=%i vitest run --project unit packages/engine/test/simulation)', (seed) => {
    const random = prng(seed);
    const history = seededHistory(random, seed, eventsPerHistory);
    const resumed = crashing(history, random).finalState();
    const straight = new HostTwin();
    for (const [at, record] of history.records.entries()) straight.step(record, history.records.slice(0, at));
    expect(resumed).toEqual(straight.finalState());
    met.waits += history.told.filter((told) => told.startsWith('waits')).length;
    met.actions += history.effects.flat().filter((effect) => effect.kind === 'action' && effect.state === 'due').length;
    met.labels += history.records.filter((record) => record.kind === 'label').length;
  });

  it('is tested with every kind of feature', () => {
    const kept = [...policiesOfKinds, ...policiesOverLabels].flatMap(({ features }) =>
      features.map(({ kind }): string => kind),
    );
    expect(new Set([...kept, 'ratio'])).toEqual(new Set(featureKinds));
  });

  it('happened often, with all other possible failures', () => {
    expect(Math.min(...Object.values(met))).toBeGreaterThan(seeds.length);
  });
});
