import { assert } from '@ringfence/contract';
import { diffPolicies, type Policy, rulesReadingFeatures } from '@ringfence/policy';
import { MoneySums } from './money-sums.ts';
import { EventTally, OutcomeTally } from './outcome-tally.ts';
import type { VariedOutcome, VariedResult } from './result.ts';
import type { BacktestHooks, BacktestPlan, TriedPolicy } from './backtest-plan.ts';
import { streamThrough, withLanes } from './stream-through.ts';
import type { FiredOnEvent } from './worker-report.ts';

/** The candidate with one value of the parameter. */
export interface Variant extends TriedPolicy {
  readonly value: string;
}

/** As many as a backtest with a comparison steps at once, so that each state has the same memory. */
const variantsAtOnce = 2;

/** The number of passes over the records for this many values. */
export function variedPasses(values: number): number {
  return Math.ceil(values / variantsAtOnce);
}

/**
 * Runs the candidate with each value over the source, two values in each pass.
 *
 * @param hooks progress counts the records of all passes
 * @throws OperatorError as `runBacktest`
 */
export async function runVaried(
  plan: BacktestPlan,
  { param, variants }: { readonly param: string; readonly variants: readonly Variant[] },
  hooks: BacktestHooks,
): Promise<VariedResult> {
  const declared = plan.candidate.policy.params.find(({ name }) => name === param);
  assert(declared !== undefined, 'the candidate has the parameter');
  const rules = dependentRules(variants[0]!.policy, variants.at(-1)!.policy);
  const total = plan.source.total * variedPasses(variants.length);
  const values: VariedOutcome[] = [];
  for (let at = 0; at < variants.length; at += variantsAtOnce) {
    const before = (at / variantsAtOnce) * plan.source.total;
    const onProgress = (done: number): void => hooks.onProgress(before + done, total);
    const together = variants.slice(at, at + variantsAtOnce);
    values.push(...(await runTogether(plan, { variants: together, rules: new Set(rules) }, { onProgress })));
  }
  return {
    param,
    unit: declared.unit,
    candidate: declared.value,
    live: plan.live?.policy.params.find(({ name }) => name === param)?.value,
    rules,
    values,
  };
}

async function runTogether(
  plan: BacktestPlan,
  { variants, rules }: { readonly variants: readonly Variant[]; readonly rules: ReadonlySet<number> },
  hooks: BacktestHooks,
): Promise<readonly VariedOutcome[]> {
  const tallies = variants.map(({ policy }) => new VariantTally(policy, rules));
  let fraud = 0;
  return withLanes(plan, variants, async (lanes) => {
    await streamThrough(plan, lanes, {
      ...hooks,
      onReports: (reports) => {
        fraud += reports[0]!.totals.fraud;
        reports.forEach((report, lane) => report.fired.forEach((event) => tallies[lane]!.add(event)));
      },
    });
    return tallies.map((tally, lane) => tally.result(variants[lane]!.value, fraud));
  });
}

class VariantTally {
  readonly #outcome: OutcomeTally;
  readonly #rules: ReadonlySet<number>;
  readonly #matches = new EventTally();
  readonly #toHold = new MoneySums();
  /** Rule and action of each that holds a payment. */
  readonly #holds: ReadonlySet<string>;

  constructor(policy: Policy, rules: ReadonlySet<number>) {
    this.#outcome = new OutcomeTally(policy);
    this.#rules = rules;
    const holding = policy.rules.flatMap(({ reason, then }) =>
      then.filter(({ hold }) => hold !== undefined).map(({ action }) => `${reason} ${action}`),
    );
    this.#holds = new Set(holding);
  }

  add(event: FiredOnEvent): void {
    this.#outcome.add(event);
    if (event.rules.some(({ reason }) => this.#rules.has(reason))) this.#matches.add(event);
    if (event.actions.some(({ reason, action }) => this.#holds.has(`${reason} ${action}`))) this.#toHold.add(event);
  }

  result(value: string, fraud: number): VariedOutcome {
    const { rules: _rules, actions: _actions, ...outcome } = this.#outcome.result(fraud, new Map());
    const matches = { ...this.#matches.counts, money: this.#matches.money };
    return { value, ...outcome, matches, toHold: this.#toHold.result() };
  }
}

/** The rules whose text or features differ between two values, by number. */
function dependentRules(one: Policy, other: Policy): readonly number[] {
  const differing = new Set(diffPolicies(one, other).map(({ of }) => of));
  const byFeature = rulesReadingFeatures(other, ({ name }) => differing.has(`feature ${name}`));
  return other.rules
    .filter(({ mode }) => mode !== 'off')
    .filter(({ reason }) => differing.has(`rule ${reason}`) || byFeature.has(reason))
    .map(({ reason }) => reason)
    .toSorted((a, b) => a - b);
}
