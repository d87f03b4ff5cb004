import { assert } from '@ringfence/contract';
import { loadPolicy } from '@ringfence/policy';
import { decide } from '../engine/decide.ts';
import { withStore } from '../engine/stored-state.ts';
import { historyOf } from '../handbook/history.ts';
import { readRows } from '../handbook/read-rows.ts';
import { planVisits } from '../handbook/visits.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { manyRules, ofAllCategories } from './many-rules.ts';

export interface RulesOptions {
  readonly events: number;
  readonly rounds: number;
  readonly seed: number;
}

const few = 100;
const many = 1_000;
/** The minimum throughput with ten times the rules, as a share. */
const shareMin = 0.6;

/** How the engine slows down with the number of rules: 100, then 1,000, over the same events and features. */
export async function rules(options: RulesOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const rows = readRows(options.seed);
  const history = ofAllCategories(historyOf(rows, planVisits(rows, options.seed)));
  const policies = await Promise.all(
    [few, many].map(async (count) => {
      const loaded = loadPolicy(await manyRules(count, options.seed));
      assert(loaded.ok, 'the rules check');
      return { count, policy: loaded.policy, perSecond: [] as number[], actions: 0 };
    }),
  );
  const { events } = options;
  for (let round = 0; round < options.rounds; round++) {
    for (const one of policies) {
      const decided = await withStore((stored) =>
        decide({
          history,
          policy: one.policy,
          stored,
          events,
          chunk: 2_000,
          checkpointEvery: 200_000,
          noteEvery: events,
          restartEvery: 0,
        }),
      );
      one.perSecond.push((events * 1_000) / decided.cpuMs);
      one.actions = decided.actions;
    }
  }
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  print(
    table([
      ['rules', 'events per processor second', 'actions'],
      ...policies.map(({ count, perSecond, actions }) => [String(count), figure(middle(perSecond)), figure(actions)]),
    ]),
  );
  const [base, grown] = policies.map(({ perSecond }) => middle(perSecond));
  return [
    {
      what: `${figure(many)} rules compared with ${few}, same events`,
      measured: grown! / base!,
      bar: shareMin,
      must: 'reach',
      unit: 'of the throughput',
    },
  ];
}
