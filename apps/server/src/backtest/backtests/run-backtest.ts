import { emptyDigest, nextDigest } from '../../decide/digest.ts';
import { HistoryReader } from '../../history/history-bytes.ts';
import type { BacktestHooks, BacktestPlan } from './backtest-plan.ts';
import { ChangeTally } from './change-tally.ts';
import { type Example, ExamplePicker } from './examples.ts';
import { type Reports, streamThrough, withLanes } from './stream-through.ts';
import type { WorkerHandle } from './worker-handle.ts';
import { OutcomeTally } from './outcome-tally.ts';
import type { BacktestResult } from './result.ts';

export interface BacktestOutcome {
  readonly result: BacktestResult;
  readonly examples: readonly Example[];
}

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
  const counted = { ...plan, scores: hooks.scores?.choice };
  return withLanes(counted, tried, (lanes) => new Run(plan, lanes, hooks).go());
}

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

  constructor(plan: BacktestPlan, lanes: readonly WorkerHandle[], hooks: BacktestHooks) {
    this.#plan = plan;
    this.#lanes = lanes;
    this.#hooks = hooks;
    this.#candidate = new OutcomeTally(plan.candidate.policy);
    this.#live = plan.live === undefined ? undefined : new OutcomeTally(plan.live.policy);
  }

  async go(): Promise<BacktestOutcome> {
    await streamThrough(this.#plan, this.#lanes, {
      onReports: (reports) => this.#add(reports),
      onProgress: this.#hooks.onProgress,
    });
    for (const changed of this.#changes.end()) this.#examples.addChange(changed);
    return this.#outcome();
  }

  #add([candidate, live]: Reports): void {
    this.#chain(candidate!.chain);
    this.#hooks.scores?.onScores(candidate!.scores);
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
