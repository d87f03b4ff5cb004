import { totalmem } from 'node:os';
import { sessionGraceMsMax } from '@ringfence/engine';
import type { Policy, PolicyFile } from '@ringfence/policy';
import { emptyDigest, nextDigest } from '../../decide/digest.ts';
import { ByteSource } from '../../history/byte-source.ts';
import { ChangeTally } from './change-tally.ts';
import { type Example, ExamplePicker } from './examples.ts';
import type { LaneReport } from './worker-report.ts';
import { LaneWorker } from './worker-handle.ts';
import { OutcomeTally } from './outcome-tally.ts';
import type { BacktestResult } from './result.ts';
import type { BacktestSource } from './source.ts';

/** A policy that is tried, or compared with. */
export interface TriedPolicy {
  readonly files: readonly PolicyFile[];
  /** The same, compiled. */
  readonly policy: Policy;
  /** The version that decisions name. */
  readonly version: number;
}

export interface BacktestPlan {
  readonly source: BacktestSource;
  readonly candidate: TriedPolicy;
  readonly live: TriedPolicy | undefined;
  /** Events count that came at or after, and before; those that came earlier are decided all the same. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface BacktestHooks {
  /** After each batch; what it throws ends the backtest. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface BacktestOutcome {
  readonly result: BacktestResult;
  readonly examples: readonly Example[];
}

/** Batches that are under way at once: while one is stepped, the next waits beside it and a third is opened. */
const underWayMax = 3;
/** Share of the machine's memory that the states of all lanes may take together. */
const memoryShare = 0.5;

/**
 * Goes through a source with one policy, or two side by side, each on the live engine's `step` in a thread of its own.
 * This thread opens records, hands them on and adds up. The order of all events is kept, because features see what
 * other clients did: so one policy is one thread, and the work beside it is what is taken off it.
 *
 *     source -> open -> pack --batch--> [ lane: candidate ] --report--> tally
 *                            '--batch--> [ lane: live ] ------report---'
 *
 * @throws OperatorError when a policy's state does not fit into memory
 */
export async function runBacktest(plan: BacktestPlan, hooks: BacktestHooks): Promise<BacktestOutcome> {
  const tried = plan.live === undefined ? [plan.candidate] : [plan.candidate, plan.live];
  const memoryMb = Math.floor((totalmem() * memoryShare) / 2 ** 20 / tried.length);
  const lanes = tried.map(({ files, version }, i) => {
    const { fromMs, toMs } = plan;
    return new LaneWorker({ files, version, fromMs, toMs, isChained: i === 0 }, memoryMb);
  });
  try {
    return await new Run(plan, lanes, hooks).go();
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()));
  }
}

type Reports = readonly LaneReport[];

class Run {
  readonly #plan: BacktestPlan;
  readonly #lanes: readonly LaneWorker[];
  readonly #hooks: BacktestHooks;
  readonly #candidate: OutcomeTally;
  readonly #live: OutcomeTally | undefined;
  readonly #changes = new ChangeTally();
  readonly #examples = new ExamplePicker();
  readonly #events = { decided: 0, fraud: 0, legitimate: 0, repeats: 0, unreadable: 0, waiting: 0 };
  #digest = emptyDigest;
  #done = 0;

  constructor(plan: BacktestPlan, lanes: readonly LaneWorker[], hooks: BacktestHooks) {
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
      // An operation that came before the end may wait for its login so long, and be decided after it.
      if (logTimeMs >= this.#plan.toMs + sessionGraceMsMax) break;
      const { settings, lists, labelsAtOnce } = this.#plan.source;
      if (!isBegun) for (const lane of this.#lanes) lane.begin({ offset, logTimeMs, settings, lists, labelsAtOnce });
      isBegun = true;
      const reports = Promise.all(this.#lanes.map((lane) => lane.take(bytes)));
      reports.catch(() => undefined); // told when it is awaited
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
    const source = new ByteSource(bytes);
    while (!source.isDone) this.#digest = nextDigest(this.#digest, source.bytes(source.uint()));
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
        digest: this.#digest.toString('hex'),
        notes: this.#plan.source.notes(),
      },
      examples: this.#examples.result(),
    };
  }
}
