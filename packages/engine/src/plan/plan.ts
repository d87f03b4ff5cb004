import type { EventKind } from '@ringfence/contract';
import {
  factDefinition,
  factDefinitions,
  type Facts,
  type Feature,
  type LiveItems,
  type Policy,
  type Ratio,
  type Rule,
  type SharedConditions,
} from '@ringfence/policy';
import { doorReader, familiarReader } from '../facts/door-facts.ts';
import { engineFacts } from '../facts/engine-facts.ts';
import { type FactReader, wireFacts } from '../facts/wire-facts.ts';
import { type FeatureTable, type PlacedGroup, subjectPath } from '../features/feature-table.ts';
import { FeatureEntity } from '../features/feature-entity.ts';
import type { Layout } from '../features/layout.ts';
import type { LiveLists } from '../lists/live-lists.ts';
import type { PlacedFeature } from '../features/read-feature.ts';
import { type PlannedRules, planRules, scorePath, sharedIn } from './planned-rules.ts';
import type { EntityStore, Sought } from '../store/entity-store.ts';

export const eventKinds: readonly EventKind[] = ['login', 'logout', 'operation'];

/** A group of features, as one kind of event meets it. */
export interface PlannedGroup {
  readonly number: number;
  readonly layout: Layout;
  /** The facts that name the entity; of the client its subject stands for the name. */
  readonly by: readonly { readonly slot: number; readonly isSubject: boolean }[];
  /** Whether the client is among them. */
  readonly isOfSubject: boolean;
  /** Features that the event may count for. */
  readonly updates: readonly PlacedFeature[];
  /** Whether labels of such events change one of them. */
  readonly hasLabels: boolean;
  /** Features that a rule for this kind of event reads; the others are kept, and not asked for. */
  readonly reads: readonly PlacedFeature[];
}

/** A policy made ready for one kind of event. */
export interface KindPlan {
  /** The facts that the policy reads and this kind of event can have. */
  readonly readers: readonly { readonly slot: number; readonly read: FactReader }[];
  /** Rules that are not off, in the order in which they are decided. */
  readonly groups: readonly PlannedRules[];
  readonly shared: SharedConditions;
  /** Groups that the event meets, with the entity of the event under question. */
  readonly found: readonly FoundEntity[];
  /** Ratios that a rule for this kind of event reads. */
  readonly ratios: readonly Ratio[];
}

/** The entity of one group that an event is about. */
export interface FoundEntity extends Sought {
  readonly group: PlannedGroup;
}

/** A policy made ready to decide. */
export interface Plan {
  /** 0 before any policy. */
  readonly version: number;
  /** The facts of the event under question, filled anew for each. */
  readonly facts: Facts;
  /** Where `event.score` stands among them, when somebody reads it. */
  readonly scoreSlot: number | undefined;
  /** Live lists, and where they stand among the facts. */
  readonly lists: readonly { readonly slot: number; readonly items: LiveItems }[];
  readonly kinds: Readonly<Record<EventKind, KindPlan>>;
}

/** Where the features of a policy are kept. */
export interface PlanPlace {
  readonly features: FeatureTable;
  readonly lists: LiveLists;
  readonly store: EntityStore;
}

const nothing: KindPlan = { readers: [], groups: [], shared: sharedIn([]), found: [], ratios: [] };

/** Before any policy: every event is decided, by no rule. */
export const emptyPlan: Plan = {
  version: 0,
  facts: [],
  scoreSlot: undefined,
  lists: [],
  kinds: { login: nothing, logout: nothing, operation: nothing },
};

export function planOf(version: number, policy: Policy, { features, lists, store }: PlanPlace): Plan {
  const groups = features.place(policy.features);
  const kindPlan = (kind: EventKind): KindPlan => {
    const rules = policy.rules.filter((rule) => rule.mode !== 'off' && rule.on.has(kind));
    const readBy = new Set(rules.flatMap(pathsOf));
    const ratios = policy.ratios.filter(({ name }) => readBy.has(name));
    for (const { of, to } of ratios) readBy.add(of.name).add(to.name);
    const planned = groups.flatMap((group) => planGroup(policy, group, { kind, readBy }) ?? []);
    const shared = sharedIn(rules);
    return {
      readers: readersFor(policy, kind),
      groups: planRules(policy.groups, rules, shared),
      shared,
      found: planned.map((group) => foundIn(store, group)),
      ratios,
    };
  };
  return {
    version,
    facts: Array.from({ length: policy.slots.count }, () => undefined),
    scoreSlot: policy.slots.of(scorePath),
    lists: policy.lists.flatMap((list) =>
      list.live === undefined ? [] : [{ slot: list.live.slot, items: lists.view(list) }],
    ),
    kinds: { login: kindPlan('login'), logout: kindPlan('logout'), operation: kindPlan('operation') },
  };
}

function foundIn(store: EntityStore, group: PlannedGroup): FoundEntity {
  const look = new FeatureEntity(store.group(group.number));
  return { group, key: store.newKey(), isNamed: false, subject: undefined, look, known: 'unknown', block: 0 };
}

function readersFor(policy: Policy, kind: EventKind): KindPlan['readers'] {
  return factDefinitions.flatMap(({ path, on, source }) => {
    const slot = policy.slots.of(path);
    if (slot === undefined || !on.has(kind)) return [];
    if (source === 'door') return [{ slot, read: doorReader(path) }];
    const read = source === 'wire' ? wireFacts[path] : (engineFacts[path] ?? familiarReader(path));
    return read === undefined ? [] : [{ slot, read }];
  });
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
  return {
    number: group.number,
    layout: group.layout,
    by: group.by.map(({ path, slot }) => ({ slot, isSubject: path === subjectPath })),
    isOfSubject: group.by.some(({ path }) => path === subjectPath),
    reads,
    updates: oncePerPlace(counted),
    hasLabels: counted.some(({ feature }) => feature.keeps === 'fraudShare'),
  };
}

/** Features that keep the same share a place, and an event is put there once, by whatever names it is read. */
export function oncePerPlace(features: readonly PlacedFeature[]): readonly PlacedFeature[] {
  return [...new Map(features.map((placed) => [placed.index, placed])).values()];
}

/** What its condition reads and its messages show. */
function pathsOf({ reads, then }: Rule): readonly string[] {
  return [...reads.map(({ path }) => path), ...then.flatMap((action) => action.reads)];
}

/** Whether an event of this kind can have all facts that name the feature's entity. */
function canName(feature: Feature, kind: EventKind): boolean {
  return feature.by.every((path) => factDefinition(path)?.on.has(kind) ?? true);
}
