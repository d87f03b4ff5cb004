import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import {
  beginCheckpoint,
  checkpointCommitted,
  type EngineRecord,
  evict,
  type GradualCheckpoint,
  newState,
  residentBytes,
  residentCount,
  step,
} from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import { firstRecords, recordOf } from '../engine/records.ts';
import { type Reading, stepSome } from '../engine/step-some.ts';
import type { StoredState } from '../engine/stored-state.ts';
import type { TurnOver } from '../measure/in-thread.ts';
import { Stopwatch } from '../measure/stopwatch.ts';
import { figure } from '../report/table.ts';
import { type Clients, lastingSessions } from './clients.ts';

export interface RunPlan {
  readonly clients: Clients;
  readonly events: number;
  readonly policy: Policy;
  readonly stored: StoredState;
  /** Called from time to time with the progress. */
  readonly print: (text: string) => void;
  /** Awaited before the first event, and after each part of them. */
  readonly turnOver: TurnOver;
}

export interface RunResult {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The longest time between two turns of the event loop, ms, by the clock: includes other work on the machine. */
  readonly stopMsMax: number;
  /** The most processor time of this thread between two turns, ms: its pause on a dedicated core. */
  readonly stopCpuMsMax: number;
  readonly rssBytesMax: number;
  readonly asked: number;
  readonly resident: number;
  readonly nextRecord: EngineRecord;
}

/**
 * Records per batch; how long they are stepped before the event loop turns, and entities captured then. As in the host.
 */
const batch = 100;
const turnEveryMs = 5;
const capturedAtOnce = 100;
const checkpointEvery = 200_000;
const printEvery = 1_000_000;
/** Number of parts in which all events are stepped. */
export const turnCount = 20;
/** Memory for entities, as in the host. */
const residentBytesMax = 2 ** 30;
const evictSteps = 1;

/**
 * Steps events as the host does: in batches between which the event loop turns, while a checkpoint is captured in its
 * own turns.
 */
export async function runClients(plan: RunPlan): Promise<RunResult> {
  const { clients, events, policy, stored, print, turnOver } = plan;
  const turnEvents = Math.ceil(events / turnCount / batch) * batch;
  const state = newState({ complete: true });
  const watch = new Stopwatch();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const turns = new Turns();
  let checkpoint: GradualCheckpoint | undefined;
  let rssBytesMax = 0;
  let asked = 0;
  const startMs = 1_749_999_999_000;
  for (const record of firstRecords(policy, startMs, lastingSessions)) step(state, record);
  delay.enable();
  const records = (from: number, count: number): readonly EngineRecord[] =>
    clients.next(count).map((event, i) => recordOf(event, 2 + from + i));
  const read: Reading = (keys) => watch.pause(() => turns.aside(() => stored.read(keys)));
  for (let at = 0; at < events; at += batch) {
    if (at % turnEvents === 0) await turns.wait(turnOver());
    const some = records(at, batch);
    for (let from = 0; from < some.length; await turns.next()) {
      const untilMs = performance.now() + turnEveryMs;
      watch.time(() => {
        while (from < some.length && performance.now() < untilMs) {
          const stepped = stepSome(state, some, { from, read });
          from += stepped.effects.length;
          asked += stepped.asked;
        }
        // Only one stopwatch for both, because it takes some microseconds itself.
        if (from === some.length) evict(state, residentBytesMax, evictSteps);
      });
    }
    if (at > 0 && at % printEvery === 0) {
      const [perSecond, gib] = [(at * 1_000) / watch.cpuMs, residentBytes(state) / 2 ** 30];
      const so = `${figure(perSecond)}/s, ${figure(gib)} GiB of entities, longest stop ${figure(turns.cpuMsMax)} ms`;
      print(`${figure(at)} of ${figure(events)} events: ${so}\n`);
    }
    if (at > 0 && at % checkpointEvery === 0 && checkpoint === undefined) {
      checkpoint = watch.time(() => beginCheckpoint(state));
      rssBytesMax = Math.max(rssBytesMax, process.memoryUsage.rss());
    }
    if (checkpoint === undefined) continue;
    const captured = captureSome(checkpoint, stored, watch);
    turns.aside(() => stored.settle());
    await turns.next();
    if (captured === 0) {
      await turns.wait(stored.finish(checkpoint));
      checkpointCommitted(state, checkpoint);
      checkpoint = undefined;
    }
  }
  delay.disable();
  // Too few events to complete a checkpoint, which a restart needs.
  if (stored.last === undefined) await storeAll(checkpoint ?? beginCheckpoint(state), stored);
  return {
    cpuMs: watch.cpuMs,
    wallMs: watch.wallMs,
    stopMsMax: delay.max / 1e6,
    stopCpuMsMax: turns.cpuMsMax,
    rssBytesMax: Math.max(rssBytesMax, process.memoryUsage.rss()),
    asked,
    resident: residentCount(state),
    nextRecord: records(events, 1)[0]!,
  };
}

/** Processor time of this thread from one turn of the event loop to the next. */
class Turns {
  cpuMsMax = 0;
  #began = process.threadCpuUsage();
  #asideMs = 0;

  /** Lets the event loop turn once. */
  async next(): Promise<void> {
    await this.wait(turn());
  }

  /** Awaits a promise while the event loop turns. */
  async wait(done: Promise<void>): Promise<void> {
    this.cpuMsMax = Math.max(this.cpuMsMax, usedMs(this.#began) - this.#asideMs);
    await done;
    this.#began = process.threadCpuUsage();
    this.#asideMs = 0;
  }

  /** Work of another process, which does not block this one in production. Not timed. */
  aside<Result>(work: () => Result): Result {
    const began = process.threadCpuUsage();
    const result = work();
    this.#asideMs += usedMs(began);
    return result;
  }
}

function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

async function storeAll(checkpoint: GradualCheckpoint, stored: StoredState): Promise<void> {
  while (captureSome(checkpoint, stored, new Stopwatch()) > 0);
  stored.settle();
  await stored.finish(checkpoint);
}

/**
 * Captures some more entities and writes them.
 * @returns how many; 0 when all are captured
 */
function captureSome(checkpoint: GradualCheckpoint, stored: StoredState, watch: Stopwatch): number {
  return watch.time(() => {
    const entities = checkpoint.next(capturedAtOnce);
    stored.write(entities);
    return entities.length;
  });
}
