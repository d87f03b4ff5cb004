import { totalmem } from 'node:os';
import { sessionGraceMsMax } from '@ringfence/engine/limits';
import type { Policy, PolicyFile } from '@ringfence/policy';
import { emptyDigest, nextDigest } from '../../decide/digest.ts';
import { HistoryReader } from '../../history/history-bytes.ts';
import { ChangeTally } from './change-tally.ts';
import { type Example, ExamplePicker } from './examples.ts';
import type { WorkerReport } from './worker-report.ts';
import { WorkerHandle } from './worker-handle.ts';
import { OutcomeTally } from './outcome-tally.ts';
import type { BacktestResult } from './result.ts';
import type { BacktestSource } from './source.ts';

/** A policy that is tested, or compared with. */
export interface TriedPolicy {
  readonly files: readonly PolicyFile[];
  /** The same, compiled. */
  readonly policy: Policy;
  /** The version in its decisions. */
  readonly version: number;
  /** Its rules in shadow that run as if live. */
  readonly asLive: readonly number[];
}

export interface BacktestPlan {
  readonly source: BacktestSource;
  readonly candidate: TriedPolicy;
  readonly live: TriedPolicy | undefined;
  /** Only events from `fromMs` to before `toMs` are counted; earlier ones are decided too. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface BacktestHooks {
  /** Called after each batch; an error ends the backtest. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface BacktestOutcome {
  readonly result: BacktestResult;
  readonly examples: readonly Example[];
}

/** Concurrent batches: one is stepped, one waits, and a third is decrypted. */
const underWayMax = 3;
/** Share of the machine's memory for the states of all workers together. */
const memoryShare = 0.5;

/**
 * Runs one policy, or two side by side, over a source, each with the live engine's `step` in its own thread. This
 * thread decrypts records, passes them on and tallies. Events stay in one order, because features depend on other
 * clients: so a policy cannot use more than one thread, and only the other work is moved out of it.
 *
 *     source -> decrypt -> pack --batch--> [ worker: candidate ] --report--> tally
 *                               '--batch--> [ worker: live ] ------report---'
 *
 * @throws OperatorError when a policy's state does not fit into memory
 */
export async function runBacktest(plan: BacktestPlan, hooks: BacktestHooks): Promise<BacktestOutcome> {
  const tried = plan.live === undefined ? [plan.candidate] : [plan.candidate, plan.live];
  const memoryMb = Math.floor((totalmem() * memoryShare) / 2 ** 20 / tried.length);
  const lanes = tried.map(({ files, version, asLive }, i) => {
    const { fromMs, toMs } = plan;
    return new WorkerHandle({ files, version, asLive, fromMs, toMs, isChained: i === 0 }, memoryMb);
  });
  try {
    return await new Run(plan, lanes, hooks).go();
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()));
  }
}

type Reports = readonly WorkerReport[];

class Run {
  readonly #plan: BacktestPlan;
  readonly #lanes: readonly WorkerHandle[];
  readonly #hooks: BacktestHooks;
  readonly #candidate: OutcomeTally;
  readonly #live: OutcomeTally | undefined;
  readonly #changes = new ChangeTally();
  readonly #examples = new ExamplePicker();
  readonly #events = { decided: 0, fraud: 0, legitimate: 0, repeats: 0, unreadable: 0, waiting: 0 };
  #digest = emptyDigest;
  #done = 0;

  constructor(plan: BacktestPlan, lanes: readonly WorkerHandle[], hooks: BacktestHooks) {
    this.#plan = plan;
    this.#lanes = lanes;
    this.#hooks = hooks;
    this.#candidate = new OutcomeTally(plan.candidate.policy);
    this.#live = plan.live === undefined ? undefined : new OutcomeTally(plan.live.policy);
  }

  async go(): Promise<BacktestOutcome> {
    const underWay: { readonly records: number; readonly reports: Promise<Reports> }[] = [];
    const settle = async (): Promise<void> => {
      const { records, reports } = underWay.shift()!;
      this.#add(await reports);
      this.#done += records;
      this.#hooks.onProgress(this.#done, this.#plan.source.total);
    };
    let isBegun = false;
    for await (const { offset, logTimeMs, records, bytes } of this.#plan.source.batches()) {
      // An operation before the end may wait this long for its login, and be decided after it.
      if (logTimeMs >= this.#plan.toMs + sessionGraceMsMax) break;
      const { settings, lists, labelsAtOnce } = this.#plan.source;
      if (!isBegun) for (const lane of this.#lanes) lane.begin({ offset, logTimeMs, settings, lists, labelsAtOnce });
      isBegun = true;
      const reports = Promise.all(this.#lanes.map((lane) => lane.take(bytes)));
      reports.catch(() => undefined); // handled where it is awaited
      underWay.push({ records, reports });
      if (underWay.length >= underWayMax) await settle();
    }
    while (underWay.length > 0) await settle();
    for (const changed of this.#changes.end()) this.#examples.addChange(changed);
    return this.#outcome();
  }

  #add([candidate, live]: Reports): void {
    this.#chain(candidate!.chain);
    for (const event of candidate!.fired) {
      this.#candidate.add(event);
      this.#examples.add(event);
    }
    const { decided, fraud, legitimate, repeats, unreadable } = candidate!.totals;
    this.#events.decided += decided;
    this.#events.fraud += fraud;
    this.#events.legitimate += legitimate;
    this.#events.repeats += repeats;
    this.#events.unreadable += unreadable;
    this.#events.waiting = candidate!.waiting.length;
    if (live === undefined) return;
    for (const event of live.fired) this.#live!.add(event);
    for (const changed of this.#changes.add(candidate!, live)) this.#examples.addChange(changed);
  }

  #chain(bytes: Uint8Array): void {
    const reader = new HistoryReader(bytes);
    while (!reader.done) this.#digest = nextDigest(this.#digest, reader.bytes(reader.uint()));
  }

  async #outcome(): Promise<BacktestOutcome> {
    const [candidateMissing, liveMissing] = await Promise.all(this.#lanes.map((lane) => lane.end()));
    const { fraud } = this.#events;
    return {
      result: {
        events: this.#events,
        candidate: this.#candidate.result(fraud, candidateMissing!),
        live: this.#live?.result(fraud, liveMissing!),
        changes: this.#live === undefined ? undefined : this.#changes.result(),
        asLive: this.#plan.candidate.asLive,
        digest: this.#digest.toString('hex'),
        notes: this.#plan.source.notes(),
      },
      examples: this.#examples.result(),
    };
  }
}
