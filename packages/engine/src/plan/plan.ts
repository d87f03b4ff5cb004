import type { EventKind } from '@ringfence/contract';
import {
  factDefinition,
  factDefinitions,
  type Feature,
  type LiveItems,
  ModelRun,
  type Policy,
  policyCostMax,
  type Rule,
} from '@ringfence/policy';
import { enrichmentReader, familiarReader } from '../facts/enrichment-facts.ts';
import { engineFacts } from '../facts/engine-facts.ts';
import { surpriseFacts } from '../facts/login-facts.ts';
import { wireFacts } from '../facts/wire-facts.ts';
import type { FeatureTable, PlacedGroup } from '../features/store/feature-table.ts';
import { FeatureEntity } from '../features/store/feature-entity.ts';
import { holdFacts } from '../holds/hold-facts.ts';
import type { LiveLists } from '../lists/live-lists.ts';
import { planRules, scorePath, sharedIn } from './planned-rules.ts';
import { type EntityStore, KeyText } from '../store/store.ts';
import { PendingEvents } from './event-frame.ts';
import { togetherMax } from '../limits.ts';
import type { KindPlan } from './kind-plan.ts';
import { askedReaders, noOutcomes, noRules, outcomePlan, type OutcomePlan } from './outcome-plan.ts';
import { type PlannedGroup, plannedGroup } from './planned-group.ts';

/** A policy prepared for deciding. */
export interface Plan {
  /** 0 before any policy. */
  readonly version: number;
  /** Maximum number of events stepped together; lower for a costly policy, so that it does not block the event loop. */
  readonly together: number;
  /** Whether a feature reads facts about holds: then each event is decided before the next one's features. */
  readonly isHoldCounted: boolean;
  /** Events between their facts and their decision. Empty between two calls of `stepTogether`. */
  readonly pending: PendingEvents;
  /** Whether a rule, a feature or a model reads how surprising a login is: then the habits of clients are counted. */
  readonly isSurpriseRead: boolean;
  /** Slot of `event.score` among the facts, if a rule reads it. */
  readonly scoreSlot: number | undefined;
  /** Live lists, and their slots among the facts. */
  readonly lists: readonly { readonly slot: number; readonly items: LiveItems }[];
  readonly kinds: Readonly<Record<EventKind, KindPlan>> & { readonly outcome: OutcomePlan };
}

/** Where the state of the features is kept. */
export interface PlanPlace {
  readonly features: FeatureTable;
  readonly lists: LiveLists;
  readonly store: EntityStore;
}

/** Before any policy, every event is decided without rules. */
export function emptyPlan(): Plan {
  const kinds = { login: noRules, logout: noRules, operation: noRules, outcome: noOutcomes };
  const pending = new PendingEvents({ factCount: 0, kinds, looks: [], newKey: () => new KeyText([0, 0]) });
  return {
    version: 0,
    together: togetherMax,
    isHoldCounted: false,
    isSurpriseRead: false,
    pending,
    scoreSlot: undefined,
    lists: [],
    kinds,
  };
}

export function planOf(version: number, policy: Policy, { features, lists, store }: PlanPlace): Plan {
  const groups = features.place(policy.features);
  const isHoldCounted = countsHolds(policy);
  const kindPlan = (kind: EventKind): KindPlan => {
    const rules = policy.rules.filter((rule) => rule.mode !== 'off' && rule.on.has(kind));
    const readBy = new Set(rules.flatMap(pathsOf));
    const models = policy.models.filter(({ on, paths }) => on.has(kind) && paths.some((path) => readBy.has(path)));
    for (const path of models.flatMap(({ reads }) => reads)) readBy.add(path);
    const ratios = policy.ratios.filter(({ name }) => readBy.has(name));
    for (const { of, to } of ratios) readBy.add(of.name).add(to.name);
    const planned = groups.map((group) => planGroup(policy, group, { kind, readBy }));
    const shared = sharedIn(rules);
    return {
      readers: readersFor(policy, kind),
      holdReaders: holdReadersFor(policy, kind),
      groups: planRules(policy.groups, rules, shared),
      shared,
      planned,
      ratios,
      models: models.map((model) => new ModelRun(model)),
      controlled: models.filter(({ control }) => control !== undefined),
    };
  };
  const kinds = {
    login: kindPlan('login'),
    logout: kindPlan('logout'),
    operation: kindPlan('operation'),
    outcome: outcomePlan(policy, groups),
  };
  const looks = groups.map(({ number }) => new FeatureEntity(store.group(number)));
  return {
    version,
    together: isHoldCounted ? 1 : Math.max(1, Math.min(togetherMax, Math.floor(policyCostMax / policy.cost))),
    isHoldCounted,
    isSurpriseRead: Object.keys(surpriseFacts).some((path) => policy.slots.of(path) !== undefined),
    pending: new PendingEvents({ factCount: policy.slots.count, kinds, looks, newKey: () => store.newKey() }),
    scoreSlot: policy.slots.of(scorePath),
    lists: policy.lists.flatMap((list) =>
      list.live === undefined ? [] : [{ slot: list.live.slot, items: lists.view(list) }],
    ),
    kinds,
  };
}

function holdReadersFor(policy: Policy, kind: EventKind): KindPlan['holdReaders'] {
  return Object.entries(holdFacts).flatMap(([path, read]) => {
    const slot = policy.slots.of(path);
    return slot !== undefined && factDefinition(path)?.on.has(kind) === true ? [{ slot, read }] : [];
  });
}

/** Whether a feature reads a fact that the rules of the event before it may change. */
function countsHolds({ features }: Policy): boolean {
  return features.some(({ of, by, wherePaths }) => [of ?? '', ...by, ...wherePaths].some((path) => path in holdFacts));
}

function readersFor(policy: Policy, kind: EventKind): KindPlan['readers'] {
  const asked = kind === 'operation' ? askedReaders(policy) : [];
  const own = factDefinitions.flatMap(({ path, on, source }) => {
    const slot = policy.slots.of(path);
    if (slot === undefined || !on.has(kind)) return [];
    if (source === 'enrichment') return [{ slot, read: enrichmentReader(path) }];
    const read = source === 'wire' ? wireFacts[path] : (engineFacts[path] ?? familiarReader(path));
    return read === undefined ? [] : [{ slot, read }];
  });
  return [...own, ...asked];
}

function planGroup(
  policy: Policy,
  group: PlacedGroup,
  { kind, readBy }: { readonly kind: EventKind; readonly readBy: ReadonlySet<string> },
): PlannedGroup | undefined {
  const nameable = group.features.filter(({ feature }) => canName(feature, kind));
  const reads = nameable.filter(({ feature }) => feature.paths.some((path) => readBy.has(path)));
  const counted = nameable.filter(({ feature }) => feature.on.has(kind));
  if (reads.length === 0 && counted.length === 0) return undefined;
  return plannedGroup(group, { counted, reads });
}

/** What its condition reads, and its messages and its summary show. */
function pathsOf({ reads, then, summary }: Rule): readonly string[] {
  return [...reads.map(({ path }) => path), ...[...then, ...summary].flatMap((text) => text.reads)];
}

/** Whether an event of this kind can have all facts that name the feature's entity. */
function canName(feature: Feature, kind: EventKind): boolean {
  return feature.by.every((path) => factDefinition(path)?.on.has(kind) ?? true);
}
