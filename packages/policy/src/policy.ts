import type { EventKind, JsonValue } from '@ringfence/contract';
import type { Compiled, LivePlace } from './compile/compiled.ts';
import type { Facts, FactType, Predicate } from './facts/fact-value.ts';

export type FeatureKind =
  | 'count'
  | 'sum'
  | 'avg'
  | 'min'
  | 'max'
  | 'distinct'
  | 'firstSeen'
  | 'lastSeen'
  | 'stddev'
  | 'median'
  | 'percentile'
  | 'previous'
  | 'rate'
  | 'topShare'
  | 'habit'
  | 'profile'
  | 'fraudShare'
  | 'ratio';

/**
 * What is kept for a feature. A rate keeps a count or a sum; `spread` are the numbers that percentiles are taken of,
 * `values` how often each value came, of which shares are taken.
 */
export type KeptKind =
  | Exclude<FeatureKind, 'rate' | 'median' | 'percentile' | 'topShare' | 'habit' | 'ratio'>
  | 'spread'
  | 'values';

/** A number or value kept about an entity. Windows are `(now - over, now]` by the event's own time, this event included. */
export interface Feature {
  readonly name: string;
  /** The same for features that keep the same state, whatever their name; state survives a new policy by it. */
  readonly fingerprint: string;
  readonly kind: Exclude<FeatureKind, 'ratio'>;
  readonly keeps: KeptKind;
  /** Where its value stands among the facts. */
  readonly slot: number;
  readonly type: FactType;
  /** Kinds of event that update it. */
  readonly on: ReadonlySet<EventKind>;
  /** What conditions may call it; of a profile its deviation too. */
  readonly paths: readonly string[];
  /** The fact it is about (amount summed, value counted distinct); `undefined` for count, firstSeen, lastSeen. */
  readonly of: string | undefined;
  readonly ofSlot: number | undefined;
  readonly ofType: FactType | undefined;
  /** The facts that name the entity, in the policy's order, by slot; `by` has their paths. */
  readonly bySlots: readonly number[];
  readonly by: readonly string[];
  /** Kept per currency: the slot of the currency that belongs to the amount. */
  readonly currencySlot: number | undefined;
  /** Milliseconds, or `undefined` for firstSeen, lastSeen and profile. */
  readonly overMs: number | undefined;
  readonly where: Predicate | undefined;
  /** `where` in canonical form. */
  readonly whereText: string | undefined;
  /** Of a percentile: its rank, in thousandths. */
  readonly atPermille: number | undefined;
  /** Of a rate: the span that it is per. */
  readonly perMs: number | undefined;
  /** Of a profile: the span after which an event counts half. */
  readonly halfLifeMs: number | undefined;
  /** Of a share of fraud: how old events are before they count. */
  readonly afterMs: number | undefined;
  /** Of a profile: where its standard deviation stands among the facts. */
  readonly deviationSlot: number | undefined;
}

/** A feature that is one feature divided by another. Nothing is kept for it. */
export interface Ratio {
  readonly name: string;
  readonly slot: number;
  /** The features, by name, and where their values stand. */
  readonly of: RatioPart;
  readonly to: RatioPart;
}

export interface RatioPart {
  readonly name: string;
  readonly slot: number;
  readonly type: FactType;
}

export interface ActionTemplate {
  readonly action: number;
  readonly format: 'text' | 'html';
  /** As it was written; empty when the action has none. */
  readonly message: string;
  /** Fills in the message; a missing fact is an empty string. Escapes HTML when the format is html. */
  readonly render: (facts: Facts) => string;
  /** Paths of the facts and features that the message shows. */
  readonly reads: readonly string[];
  /** Steps of about 10 ns that filling in the message takes at most. */
  readonly cost: number;
}

/** A fact or feature that a condition reads. */
export interface Read {
  readonly path: string;
  readonly slot: number;
  readonly type: FactType;
}

/** A part of a rule's condition between its `&&`, `||` and `!`. */
export interface Condition {
  /** Its text, in canonical form. */
  readonly text: string;
  readonly holds: Predicate;
  readonly reads: readonly Read[];
}

/** What is more than `count` in the last `perMs` waits for a person. */
export interface ActionCap {
  readonly count: number;
  readonly perMs: number;
}

/** All clients, as a share. */
export const shareWhole = 10_000;

/** Rules that are decided together, after those of groups whose priority is smaller. */
export interface RuleGroup {
  readonly name: string;
  readonly priority: number;
  /** `first`: the first of its rules that fires live is the last one asked. */
  readonly match: 'all' | 'first';
}

export interface Rule {
  readonly reason: number;
  readonly name: string;
  /** For people; decides nothing, as the two below. */
  readonly description: string | undefined;
  /** What fraud it catches. */
  readonly catches: string | undefined;
  /** Which honest clients it may hit. */
  readonly falsePositives: string | undefined;
  /** The name of the pack that it came with. */
  readonly pack: string | undefined;
  readonly on: ReadonlySet<EventKind>;
  readonly when: Predicate;
  /** The same with what is known of it, for asking many rules at once. */
  readonly condition: Compiled;
  /** The condition in canonical form. */
  readonly text: string;
  /** What `explain` shows. */
  readonly conditions: readonly Condition[];
  /** Facts and features that the condition reads, for the decision's record. */
  readonly reads: readonly Read[];
  readonly then: readonly ActionTemplate[];
  readonly mode: 'live' | 'shadow' | 'off';
  /** `undefined`: it is decided first of all, with the others that name no group. */
  readonly group: string | undefined;
  /** Within its group, the smaller is asked first; among equals, the smaller reason. */
  readonly priority: number;
  /** What it adds to `event.score` when it fires live. */
  readonly score: number;
  /** Of clients, in parts of `shareWhole`: for the others it is in shadow. */
  readonly share: number;
  readonly cooldown: { readonly ms: number; readonly per: 'session' | 'client' } | undefined;
  readonly maxActions: ActionCap | undefined;
  readonly maxActionsPerClient: ActionCap | undefined;
  /** Where it stands in the policy folder. */
  readonly file: string;
  readonly line: number;
}

/** Where the engine finds and puts facts: slot by path. Paths no rule, feature or message reads have no slot. */
export interface Slots {
  readonly count: number;
  readonly of: (path: string) => number | undefined;
}

/** The items of a live list as of the event under question. Kept by the engine, changed by records of its log. */
export interface LiveItems {
  /** Whether the item is there, by its text; of addresses, whether a range of them holds it. */
  has(text: string): boolean;
  /** Texts of all items. */
  texts(): readonly string[];
}

/** A threshold that is set apart from the conditions that read it. */
export interface PolicyParam {
  readonly name: string;
  readonly type: 'int' | 'decimal' | 'duration' | 'string' | 'bool';
  readonly unit: string | undefined;
  readonly description: string | undefined;
  /** What it is unless somebody sets it, printed. */
  readonly initial: string;
  /** What is in force. */
  readonly value: string;
  /** The file that declares it. */
  readonly file: string;
}

/** A pack of rules that came with Ringfence, or from somebody else, and is used as it is. */
export interface PolicyPack {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly file: string;
}

/** A list that the policy declares. */
export interface PolicyList {
  readonly name: string;
  readonly description: string | undefined;
  /** Paths of the facts whose values it lists: one, or two for pairs. */
  readonly of: readonly string[];
  readonly type: FactType;
  readonly isAddress: boolean;
  /** How many items the policy's own files give it. */
  readonly declared: number;
  /** Items come and go by records of the log; left out where the policy's files alone say what it holds. */
  readonly live: LivePlace | undefined;
}

/** A checked and compiled policy. Immutable. */
export interface Policy {
  /** Canonical text of everything that decides: equal texts decide equally. The host hashes it. */
  readonly canonical: string;
  readonly slots: Slots;
  /** Steps of about 10 ns that its rules, features and messages take for one event, at most. */
  readonly cost: number;
  readonly features: readonly Feature[];
  readonly ratios: readonly Ratio[];
  /** By name. */
  readonly lists: readonly PolicyList[];
  readonly params: readonly PolicyParam[];
  readonly packs: readonly PolicyPack[];
  readonly rules: readonly Rule[];
  /** In the order in which they are decided; rules of none come before. */
  readonly groups: readonly RuleGroup[];
  /** Names of custom actions, by number. */
  readonly actions: ReadonlyMap<number, string>;
  /** Custom actions that, once executed, make the device of their session a trusted one. */
  readonly trusting: ReadonlySet<number>;
  readonly tests: readonly PolicyTest[];
}

/**
 * A test of the policy's own: a history of events in the wire's shape, and all that fires, live or in shadow. Of rules in
 * shadow that came with a pack it may speak or not.
 *
 * `atMs` is the time since the test began at which the event arrives; it never falls. An operation whose body states
 * no time is given the time at which it arrives. `facts` are door facts (`FactDefinition.source`), checked by type.
 */
export interface PolicyTest {
  readonly name: string;
  /** IANA name of the zone that the workspace of the test is in. */
  readonly timezone: string | undefined;
  /** Texts of the items that live lists have when it begins, by the name of the list. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly file: string;
  readonly line: number;
  readonly given: readonly {
    readonly atMs: number;
    readonly kind: EventKind;
    /** With the digits of its numbers as they are written. */
    readonly body: JsonValue;
    readonly facts: Readonly<Record<string, string | number | boolean>>;
  }[];
  /**
   * Answers of the client's side: at that time the latest action of the reason was carried out. An answer at the same
   * time as an event comes after it.
   */
  readonly executed: readonly { readonly atMs: number; readonly reason: number; readonly action: number }[];
  /** Everything that is expected to fire, and nothing else; but for rules of packs in shadow that are not named. */
  readonly expect: readonly {
    readonly reason: number;
    readonly action: number | undefined;
    readonly atMs: number | undefined;
  }[];
}

/** One mistake in a policy. Lines and columns begin at 1. */
export interface PolicyError {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What was expected, or the nearest known name. */
  readonly suggestion: string | undefined;
  readonly severity: 'error' | 'warning';
}

/** One file of a policy folder; `path` is relative to the folder. */
export interface PolicyFile {
  readonly path: string;
  readonly text: string;
}

export type PolicyResult =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly PolicyError[] }
  | { readonly ok: false; readonly errors: readonly PolicyError[] };
