/**
 * Goal: whatever the store evicts, packs, loads again, checkpoints or loses in a crash, it answers as a map would.
 * Method: random sequences of all calls of the store's interface, on few names and with room for three objects of each
 * kind, beside plain maps. A checkpoint is captured in small steps while the sequence goes on; a crash continues from
 * the last one that was committed, with the maps as they were when it began.
 */
import { expect, it } from 'vitest';
import { prng } from '../prng.ts';
import { met, StoreTwin } from './store-twin.ts';

const only = process.env['SIM_SEED'];
const seeds = only === undefined ? Array.from({ length: 30 }, (_, index) => index + 1) : [Number(only)];
const callsPerSequence = 1_500;

it.each(seeds)('the store answers as plain maps do (SIM_SEED=%i)', (seed) => {
  const twin = new StoreTwin(prng(seed));
  for (let call = 0; call < callsPerSequence; call++) twin.call();
  expect(twin.checkAll()).toBeGreaterThan(0);
});

it.skipIf(only !== undefined)('the sequences cover eviction, loads, checkpoints, crashes and erasures', () => {
  for (const [what, times] of Object.entries(met)) expect(times, what).toBeGreaterThan(100);
});
