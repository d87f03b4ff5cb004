import type { ChargebackStage, Decimal, EventKind, JsonValue, OutcomeName } from '@ringfence/contract';
import type { Ensemble, ModelArtifact, ModelInput, ScoreTable } from '@ringfence/models';
import type { Compiled, LivePlace } from './compile/compiled.ts';
import type { Type } from './compile/type.ts';
import type { Facts, FactType, Predicate } from './facts/fact-value.ts';
import type { BusinessHours } from './values/business-hours.ts';

/** What a feature may count: events, or outcomes that the bank reports about them. */
export type CountedKind = EventKind | 'outcome';

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
  | LabelKind
  | 'ratio';

/** Kinds over labels that read the same stored state as a fraudShare. */
export type LabelKind = 'fraudRun' | 'fraudRunAge' | 'sinceFraud' | 'sinceClear';

/**
 * The state that is stored for a feature. A rate stores a count or a sum; `spread` stores the numbers of which
 * percentiles are computed, `values` the frequency of each value, of which shares are computed; `fraudShare` the events
 * and which of them are fraud.
 */
export type KeptKind =
  | Exclude<FeatureKind, 'rate' | 'median' | 'percentile' | 'topShare' | 'habit' | LabelKind | 'ratio'>
  | 'spread'
  | 'values';

/**
 * A number or value kept about an entity. Windows are `(now - over, now]` by the event's own time, this event included
 * unless `excludesThis`.
 */
export interface Feature {
  readonly name: string;
  /**
   * Equal for features with the same stored state, whatever their names. State survives a new policy if this is equal.
   */
  readonly fingerprint: string;
  readonly kind: Exclude<FeatureKind, 'ratio'>;
  readonly keeps: KeptKind;
  /** The slot of its value among the facts. */
  readonly slot: number;
  readonly type: FactType;
  /** Kinds of event that update it; `outcome` alone for a feature over reported outcomes. */
  readonly on: ReadonlySet<CountedKind>;
  /** The names that conditions use; for a profile, its deviation as well. */
  readonly paths: readonly string[];
  /**
   * The fact that it aggregates (amount summed, value counted distinct); `undefined` for count, firstSeen, lastSeen.
   */
  readonly of: string | undefined;
  readonly ofSlot: number | undefined;
  readonly ofType: FactType | undefined;
  /** The facts that identify the entity, in the policy's order, by slot; `by` has their paths. */
  readonly bySlots: readonly number[];
  readonly by: readonly string[];
  /** If kept per currency: the slot of the amount's currency. */
  readonly currencySlot: number | undefined;
  /** Milliseconds, or `undefined` for firstSeen, lastSeen and profile. */
  readonly overMs: number | undefined;
  readonly where: Predicate | undefined;
  /** Facts and features that `where` reads. */
  readonly wherePaths: readonly string[];
  /** `where` in canonical form. */
  readonly whereText: string | undefined;
  /** For a percentile: its rank, in thousandths. */
  readonly atPermille: number | undefined;
  /** For a rate: the span that it is per. */
  readonly perMs: number | undefined;
  /** For a profile: the half-life of an event's weight. */
  readonly halfLifeMs: number | undefined;
  /** For kinds over labels: the age at which events count. */
  readonly afterMs: number | undefined;
  /** For a profile: the slot of its standard deviation among the facts. */
  readonly deviationSlot: number | undefined;
  /** Whether its value on an event leaves out this event: `excluding: this`. The stored state is the same. */
  readonly excludesThis: boolean;
}

/** A feature that divides one feature by another. It has no stored state. */
export interface Ratio {
  readonly name: string;
  readonly slot: number;
  /** The features, by name, with the slots of their values. */
  readonly of: RatioPart;
  readonly to: RatioPart;
}

export interface RatioPart {
  readonly name: string;
  readonly slot: number;
  readonly type: FactType;
}

/** A model whose results rules read as `model.NAME.p`, `.score` and `.missing`. */
export interface Model {
  readonly name: string;
  /** Kinds of event that it is evaluated for. */
  readonly on: ReadonlySet<EventKind>;
  /** Events for which this is not true have no result. */
  readonly where: Predicate | undefined;
  /** `where` in canonical form. */
  readonly whereText: string | undefined;
  /** In the order in which the model reads them. */
  readonly inputs: readonly ModelTerm[];
  /** Absent: its results are missing. */
  readonly trained: TrainedModel | undefined;
  /** The names that conditions use: of its probability, its score (if it has one), and its number of missing inputs. */
  readonly paths: readonly string[];
  /** Slots of its results among the facts. */
  readonly slots: { readonly p: number; readonly score: number; readonly missing: number };
  /** Facts and features that it reads. */
  readonly reads: readonly string[];
  /** How often a challenger is trained; absent: never by itself. It has no effect on decisions. */
  readonly retrain: 'weekly' | undefined;
  /** Absent: rules about it act on every event. */
  readonly control: ControlShare | undefined;
}

/**
 * Events on which rules that fire only by this model's results do not act, so that it is seen what they turn out to be.
 * An event without an amount in this currency is never among them.
 */
export interface ControlShare {
  /** Share of events, in parts of `shareWhole`. */
  readonly share: number;
  /** The greatest amount. */
  readonly upTo: Decimal;
  readonly currency: string;
  /** Slots of the amount and its currency among the facts. */
  readonly slots: { readonly amount: number; readonly currency: number };
}

/** The trees of a model. */
export interface TrainedModel {
  /** Path of their file in the policy folder. */
  readonly artifact: string;
  /** SHA-256 of that file, in hex. */
  readonly sha256: string;
  readonly content: ModelArtifact;
  readonly ensemble: Ensemble;
  /** Absent: the model has no score. */
  readonly scores: ScoreTable | undefined;
}

/** An input of a model: an expression of the policy. */
export interface ModelTerm extends ModelInput {
  /** The expression in canonical form. */
  readonly text: string;
  /** The type of its values before the model reads them as numbers. */
  readonly type: Type;
  /** Words that the author gave to it, by language; empty if it has none. They have no effect on decisions. */
  readonly wording: Readonly<Record<string, string>>;
  /** Its value as the model reads it; NaN if it is missing. */
  readonly read: (facts: Facts) => number;
}

export interface ActionTemplate {
  readonly action: number;
  readonly format: 'text' | 'html';
  /** As written in the policy; empty if the action has none. */
  readonly message: string;
  /** Fills in the message; a missing fact becomes an empty string. Escapes HTML if the format is html. */
  readonly render: (facts: Facts) => string;
  /** Paths of the facts and features that the message shows. */
  readonly reads: readonly string[];
  /** The most steps of about 10 ns that filling in the message costs. */
  readonly cost: number;
  /** Set if the action asks the bank to hold the payment. */
  readonly hold?: HoldTerms;
}

/** What happens to a held payment when its time is over; `keep`: it stays held until a person decides. */
export type HoldEnd = 'release' | 'reject' | 'keep';

/** How a hold ends: by a person's decision or, after some time, by itself. */
export interface HoldTerms {
  /** The action that asks the bank to execute the payment. */
  readonly release: ActionTemplate;
  /** The action that asks the bank to refuse the payment. */
  readonly reject: ActionTemplate;
  readonly withinMs: number;
  /** If set, only this time counts. */
  readonly hours?: BusinessHours;
  readonly otherwise: HoldEnd;
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

/** Actions beyond `count` in the last `perMs` are held back until a person releases them. */
export interface ActionCap {
  readonly count: number;
  readonly perMs: number;
}

/** The share that is all clients, or all events. */
export const shareWhole = 10_000;

/** Rules that are evaluated together, after the groups with a smaller priority. */
export interface RuleGroup {
  readonly name: string;
  readonly priority: number;
  /** `first`: evaluation stops at the first of its rules that fires live. */
  readonly match: 'all' | 'first';
}

/** A part of a rendered summary: a literal text, the word for a missing value, or a value in a form for people. */
export interface SummaryPart {
  readonly text: string;
  /** For a value: the facts and features that it was computed from. */
  readonly of?: readonly string[];
  /** For a value: its type. */
  readonly type?: FactType;
}

/** What happened, in one sentence for analysts, in one language. It has no effect on decisions. */
export interface SummaryTemplate {
  /** A language tag of BCP 47. */
  readonly language: string;
  /** As written in the policy. */
  readonly template: string;
  /** Fills in the values of an event; a missing one becomes a word of the language. */
  readonly render: (facts: Facts) => readonly SummaryPart[];
  /** Paths of the facts and features that it shows. */
  readonly reads: readonly string[];
  /** The most steps of about 10 ns that filling it in costs. */
  readonly cost: number;
}

export interface Rule {
  readonly reason: number;
  readonly name: string;
  /** For people; has no effect on decisions, like the two fields below. */
  readonly description: string | undefined;
  /** What fraud it catches. */
  readonly catches: string | undefined;
  /** Which honest clients it may hit. */
  readonly falsePositives: string | undefined;
  /** One for each language, the first one for readers of all others; empty if the rule has none. */
  readonly summary: readonly SummaryTemplate[];
  /** The name of the pack that contains it. */
  readonly pack: string | undefined;
  readonly on: ReadonlySet<EventKind>;
  readonly when: Predicate;
  /** The same condition with its compiler metadata, to evaluate many rules together. */
  readonly condition: Compiled;
  /** The condition in canonical form. */
  readonly text: string;
  /** The parts that `explain` shows. */
  readonly conditions: readonly Condition[];
  /** Facts and features that the condition reads, for the decision's record. */
  readonly reads: readonly Read[];
  readonly then: readonly ActionTemplate[];
  readonly mode: 'live' | 'shadow' | 'off';
  /** `undefined`: it is decided first, with the other rules without a group. */
  readonly group: string | undefined;
  /** Within its group, rules are evaluated by priority, smallest first, then by reason. */
  readonly priority: number;
  /** What it adds to `event.score` when it fires live. */
  readonly score: number;
  /** The share of clients, in parts of `shareWhole`; for the others it is in shadow. */
  readonly share: number;
  readonly cooldown: { readonly ms: number; readonly per: 'session' | 'client' } | undefined;
  readonly maxActions: ActionCap | undefined;
  readonly maxActionsPerClient: ActionCap | undefined;
  /** Its position in the policy folder. */
  readonly file: string;
  readonly line: number;
}

/** The slots of facts by path. Paths that no rule, feature or message reads have no slot. */
export interface Slots {
  readonly count: number;
  readonly of: (path: string) => number | undefined;
}

/** The items of a live list as of the current event. Kept by the engine, changed by records of the log. */
export interface LiveItems {
  /** Whether the list contains the item with this text; for addresses, whether one of its ranges contains it. */
  has(text: string): boolean;
  /** Texts of all items. */
  texts(): readonly string[];
}

/** A threshold that is declared separately from the conditions that read it. */
export interface PolicyParam {
  readonly name: string;
  readonly type: 'int' | 'decimal' | 'duration' | 'string' | 'bool';
  readonly unit: string | undefined;
  readonly description: string | undefined;
  /** Its default value, printed. */
  readonly initial: string;
  /** Its current value. */
  readonly value: string;
  /** The file that declares it. */
  readonly file: string;
}

/** A pack of rules, from Ringfence or elsewhere, used unchanged. */
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
  /** The number of items in the policy's own files. */
  readonly declared: number;
  /**
   * Set if its items are added and removed by records of the log; absent if only the policy's files define its items.
   */
  readonly live: LivePlace | undefined;
}

/** A checked and compiled policy. Immutable. */
export interface Policy {
  /**
   * Canonical text of everything that affects decisions: policies with equal texts decide equally. The host hashes it.
   */
  readonly canonical: string;
  readonly slots: Slots;
  /** The most steps of about 10 ns that its rules, features and messages cost for one event. */
  readonly cost: number;
  readonly features: readonly Feature[];
  readonly ratios: readonly Ratio[];
  /** By name. */
  readonly models: readonly Model[];
  /** By name. */
  readonly lists: readonly PolicyList[];
  readonly params: readonly PolicyParam[];
  readonly packs: readonly PolicyPack[];
  readonly rules: readonly Rule[];
  /** In the order of evaluation; rules without a group come first. */
  readonly groups: readonly RuleGroup[];
  /** Names of custom actions, by number. */
  readonly actions: ReadonlyMap<number, string>;
  /** Custom actions that can mark the device of their session as trusted. */
  readonly trusting: ReadonlySet<number>;
  /** Methods of a passed step-up that do so; an action in `trusting` without any does so once it is executed. */
  readonly trustMethods: ReadonlyMap<number, readonly string[]>;
  /** Custom actions that ask for a step-up, including all in `trusting`. */
  readonly stepUps: ReadonlySet<number>;
  /** Custom actions that hold a payment, with the terms of rules that set no others. */
  readonly holds: ReadonlyMap<number, HoldTerms>;
  readonly tests: readonly PolicyTest[];
}

/**
 * A test in the policy: a history of events in the wire's format, and everything that fires, live or in shadow. Shadow
 * rules of packs may be omitted from the expectations.
 *
 * `atMs` is the time since the start of the test at which the event arrives; it never decreases. An operation without a
 * time in its body gets its arrival time. `facts` are enrichment facts (`FactDefinition.source` is `enrichment`), checked by
 * type.
 */
export interface PolicyTest {
  readonly name: string;
  /** IANA name of the time zone of the test's workspace. */
  readonly timezone: string | undefined;
  /** Initial items of live lists, as texts, by the name of the list. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly file: string;
  readonly line: number;
  readonly given: readonly {
    readonly atMs: number;
    readonly kind: EventKind;
    /** With the digits of its numbers as written. */
    readonly body: JsonValue;
    readonly facts: Readonly<Record<string, string | number | boolean>>;
  }[];
  /**
   * Outcomes reported by the client's backend: at that time the latest action of the reason was executed. An outcome at
   * the same time as an event comes after it.
   */
  readonly executed: readonly { readonly atMs: number; readonly reason: number; readonly action: number }[];
  /** What the bank reports about events. An outcome at the same time as an event comes after it. */
  readonly outcomes: readonly TestOutcome[];
  /** Exactly what must fire. Shadow rules of packs that are not listed may fire as well. */
  readonly expect: readonly {
    readonly reason: number;
    readonly action: number | undefined;
    readonly atMs: number | undefined;
  }[];
}

/**
 * An outcome in a test. It is about the event of the latest action of the rule `reason`, or about the latest operation
 * with this reference; without either, about the event before it.
 */
export interface TestOutcome {
  readonly atMs: number;
  readonly outcome: OutcomeName;
  readonly reason: number | undefined;
  readonly action: number | undefined;
  readonly reference: string | undefined;
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly stage: ChargebackStage | undefined;
  /** Decimal texts. */
  readonly loss: string | undefined;
  readonly recovered: string | undefined;
  readonly currency: string | undefined;
  /** What it makes the event; `none` takes back what an earlier one made it. */
  readonly label: 'fraud' | 'legitimate' | 'none' | undefined;
}

/** One mistake in a policy. Lines and columns begin at 1. */
export interface PolicyError {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The expected form, or the nearest known name. */
  readonly suggestion: string | undefined;
  readonly severity: 'error' | 'warning';
}

/** One file of a policy folder; `path` is relative to the folder. YAML, or the artifact of a model (`.json`). */
export interface PolicyFile {
  readonly path: string;
  readonly text: string;
}

export type PolicyResult =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly PolicyError[] }
  | { readonly ok: false; readonly errors: readonly PolicyError[] };
