import { factDefinition, factDefinitions, isReportedFact, type Policy } from '@ringfence/policy';
import { engineFacts } from '../facts/engine-facts.ts';
import { askedAmounts, recordedReader, reportFacts, type ReportReader } from '../facts/outcome-facts.ts';
import { type FactReader, wireFacts } from '../facts/wire-facts.ts';
import type { PlacedGroup } from '../features/store/feature-table.ts';
import type { KindPlan } from './kind-plan.ts';
import { plannedGroup } from './planned-group.ts';
import { sharedIn } from './planned-rules.ts';

/** A policy prepared for reported outcomes: they count for features, and no rule is evaluated for them. */
export interface OutcomePlan extends KindPlan {
  /** Facts of the report itself. */
  readonly reportReaders: readonly { readonly slot: number; readonly read: ReportReader }[];
  /** Whether a feature counts outcomes. */
  readonly counts: boolean;
}

/** Before any policy. */
export const noRules: KindPlan = {
  readers: [],
  holdReaders: [],
  groups: [],
  shared: sharedIn([]),
  planned: [],
  ratios: [],
  models: [],
  controlled: [],
};
export const noOutcomes: OutcomePlan = { ...noRules, reportReaders: [], counts: false };

export function outcomePlan(policy: Policy, groups: readonly PlacedGroup[]): OutcomePlan {
  const planned = groups.map((group) => {
    const counted = group.features.filter(({ feature }) => feature.on.has('outcome'));
    return counted.length === 0 ? undefined : plannedGroup(group, { counted, reads: [] });
  });
  if (planned.every((group) => group === undefined)) return { ...noOutcomes, planned };
  const reportReaders = Object.entries(reportFacts).flatMap(([path, read]) => {
    const slot = policy.slots.of(path);
    return slot === undefined ? [] : [{ slot, read }];
  });
  return { ...noOutcomes, planned, readers: readersOf(policy), reportReaders, counts: true };
}

/** Readers of facts that an event still has when its outcome is reported. */
function readersOf(policy: Policy): KindPlan['readers'] {
  return factDefinitions.flatMap(({ path, source }) => {
    const slot = policy.slots.of(path);
    if (slot === undefined || !isReportedFact(factDefinition(path)!)) return [];
    const read =
      source === 'enrichment' ? recordedReader(path) : source === 'wire' ? wireFacts[path] : engineFacts[path];
    return read === undefined ? [] : [{ slot, read }];
  });
}

/** Readers for an operation that reads features over losses. */
export function askedReaders(policy: Policy): readonly { readonly slot: number; readonly read: FactReader }[] {
  return Object.entries(askedAmounts).flatMap(([path, read]) => {
    const slot = policy.slots.of(path);
    return slot === undefined ? [] : [{ slot, read }];
  });
}
