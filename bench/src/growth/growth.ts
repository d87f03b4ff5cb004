import { assert } from '@ringfence/contract';
import { restoreState } from '@ringfence/engine';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { type StoredState, withStore } from '../engine/stored-state.ts';
import { policyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { Clients } from './clients.ts';
import { runClients, type RunResult, stepWhole } from './run.ts';

export interface GrowthOptions {
  readonly clients: number;
  /** Events per client, on the average. */
  readonly each: number;
  readonly seed: number;
}

/** How many clients the others are compared with, and events until both have warmed up alike. */
const fewClients = 10_000;
const fewEvents = 1_000_000;
const rssGiBMax = 1.5;
const shareMin = 0.5;
const stopMsMax = 50;
const restartMsMax = 5_000;

interface Grown extends RunResult {
  readonly perSecond: number;
  readonly stored: number;
  readonly restartMs: number;
}

/** How the engine grows with its state: many clients of whom few are busy, ten features each, beside ten thousand. */
export async function growth(options: GrowthOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const { clients, each, seed } = options;
  const few = await grown({ clients: fewClients, events: fewEvents, seed });
  const many = await grown({ clients, events: clients * each, seed });
  const gib = (bytes: number): number => bytes / 2 ** 30;
  const row = (name: string, of: Grown): readonly string[] => [
    name,
    figure(of.perSecond),
    figure(gib(of.rssBytesMax)),
    `${figure(of.stopMsMax)} ms`,
    `${figure(of.stopCpuMsMax)} ms`,
    figure(of.resident),
    figure(of.stored),
    figure(of.asked),
    `${figure(of.restartMs)} ms`,
  ];
  print(
    table([
      [
        'clients',
        'per processor second',
        'RSS GiB',
        'longest stop',
        'its processor time',
        'in memory',
        'stored',
        'asked for',
        'restart',
      ],
      row(figure(fewClients), few),
      row(figure(clients), many),
    ]),
  );
  const bar = (what: string, measured: number, rest: Pick<Bar, 'bar' | 'must' | 'unit'>): Bar => ({
    what,
    measured,
    ...rest,
  });
  return [
    bar('memory', gib(many.rssBytesMax), { bar: rssGiBMax, must: 'stay below', unit: 'GiB RSS' }),
    bar(`beside ${figure(fewClients)} clients`, many.perSecond / few.perSecond, {
      bar: shareMin,
      must: 'reach',
      unit: 'of the throughput',
    }),
    bar('longest stop, checkpoints on, processor time', many.stopCpuMsMax, {
      bar: stopMsMax,
      must: 'stay below',
      unit: 'ms',
    }),
    bar('first decision after a restart', many.restartMs, { bar: restartMsMax, must: 'stay below', unit: 'ms' }),
  ];
}

function grown(of: { readonly clients: number; readonly events: number; readonly seed: number }): Promise<Grown> {
  return withStore(async (stored) => {
    const policy = await loaded();
    const result = await runClients({ clients: new Clients(of), events: of.events, policy, stored });
    const perSecond = (of.events * 1_000) / result.cpuMs;
    return { ...result, perSecond, stored: stored.entityCount, restartMs: await restart(stored, result) };
  });
}

/** From nothing in memory but what is stored to the first decision: policy, globals, the entities that it needs. */
async function restart(stored: StoredState, { nextRecord }: RunResult): Promise<number> {
  const began = performance.now();
  assert(stored.last !== undefined, 'a checkpoint was stored');
  const state = restoreState(stored.last.globals, await loaded(), { complete: false });
  stepWhole(state, nextRecord, (keys) => stored.read(keys));
  return performance.now() - began;
}

async function loaded(): Promise<Policy> {
  const result = loadPolicy(await policyFiles('clients'));
  assert(result.ok, 'the policy checks');
  return result.policy;
}
