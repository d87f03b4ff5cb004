import { assert, InvariantError } from '@ringfence/contract';
import { defaultSettings, type EngineRecord, type EngineState, newState, step } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import { stepSome } from '../engine/step-some.ts';
import { Stopwatch } from '../measure/stopwatch.ts';
import { enrichmentFactsOf, Records } from './logins.ts';

const devicesPerClient = 2;
/** A visit: a login, operations, a logout. */
const operationsPerVisit = 3;
/** Records that are built in advance, as the host reads them. */
const batchMin = 500;

export interface Recognised {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly devices: number;
}

/** Steps logins into a workspace with this many known devices; every second login has its storage cleared. */
export function recognise(policy: Policy, devices: number, logins: number): Recognised {
  const records = new Records();
  const state = begun(records, policy);
  let login = 0;
  for (let device = 0; device < devices; device++) {
    run(state, records.event('login', clientOf(device), enrichmentFactsOf(device, login++, 'id')));
  }
  const tookMs = Array.from({ length: logins }, (_, at) => {
    const device = (at * 7_919) % devices;
    const facts = enrichmentFactsOf(device, login++, at % 2 === 0 ? 'id' : 'cleared');
    const record = records.event('login', clientOf(device), facts);
    const began = performance.now();
    run(state, record);
    return performance.now() - began;
  }).toSorted((a, b) => a - b);
  const share = (part: number): number => tookMs[Math.floor(tookMs.length * part)]!;
  return { p50Ms: share(0.5), p99Ms: share(0.99), devices };
}

function clientOf(device: number): number {
  return Math.floor(device / devicesPerClient);
}

/** Events per second on one core, in visits of returning clients, with or without the facts of enrichment. */
export function eventsPerSecond(policy: Policy, visits: number, withFacts: boolean): number {
  const records = new Records();
  const state = begun(records, policy);
  const clients = Math.ceil(visits / 4);
  const watch = new Stopwatch();
  const none = { 'ip.valid': true, 'ip.version': 4 };
  const batch: EngineRecord[] = [];
  let count = 0;
  for (let visit = 0; visit < visits; visit++) {
    const client = (visit * 13) % clients;
    batch.push(records.event('login', client, withFacts ? enrichmentFactsOf(client, visit, 'id') : none));
    for (let at = 0; at < operationsPerVisit; at++) batch.push(records.event('operation', client, {}));
    batch.push(records.event('logout', client, {}));
    if (batch.length < batchMin && visit < visits - 1) continue;
    watch.time(() => {
      for (let from = 0; from < batch.length;)
        from += stepSome(state, batch, { from, read: nothingStored }).effects.length;
    });
    count += batch.length;
    batch.length = 0;
  }
  return (count / watch.cpuMs) * 1_000;
}

function nothingStored(): never {
  throw new InvariantError('all entities are in memory');
}

function begun(records: Records, policy: Policy): EngineState {
  const state = newState({ complete: true });
  run(state, records.control({ kind: 'settings', settings: { ...defaultSettings, deliver: 'live' } } as never));
  run(state, records.control({ kind: 'policy', version: 1, policy } as never));
  return state;
}

function run(state: EngineState, record: EngineRecord): void {
  const stepped = step(state, record);
  if (stepped.kind === 'need') throw new InvariantError('all entities are in memory');
  assert(stepped.effects.length < 100, 'a record has few effects');
}
