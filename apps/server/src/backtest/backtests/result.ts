import type { Policy } from '@ringfence/policy';

/*
 * The result of a backtest. It contains no personal data: examples are stored separately, encrypted.
 *
 * An event is flagged when a rule in mode live matched it, whether the rule acted or was within its cooldown.
 */

/** Events by label. */
export interface Counted {
  readonly events: number;
  readonly fraud: number;
  readonly legitimate: number;
  readonly unlabelled: number;
}

/** Sums of amounts in one currency, in plain digits, by label. */
export interface Money {
  readonly currency: string;
  readonly fraud: string;
  readonly legitimate: string;
  readonly unlabelled: string;
}

export interface RuleOutcome {
  readonly reason: number;
  readonly name: string;
  /** As set in the policy, also if it ran as if live. */
  readonly mode: Policy['rules'][number]['mode'];
  readonly matches: Counted;
  /** Matches within the rule's cooldown: it did not act. */
  readonly suppressed: number;
  /** Events on which a fact was missing that the condition needs. */
  readonly missing: number;
  readonly actions: number;
  /** Capped actions, which wait for a person. */
  readonly capped: number;
  /** Clients matched at least once; of these, on an event labelled legitimate. */
  readonly clients: number;
  readonly legitimateClients: number;
  /** Share of fraud among the labelled matches, 0 to 1; `undefined` when none is labelled. */
  readonly precision: number | undefined;
  readonly money: readonly Money[];
}

/** A rule that matched no event. */
export type UnmatchedRule = Pick<RuleOutcome, 'reason' | 'name' | 'mode'>;

/** By number. Computed when a result is read, so that those of earlier releases have it too. */
export function unmatchedRules({ rules }: PolicyOutcome): readonly UnmatchedRule[] {
  return rules.filter(({ matches }) => matches.events === 0).map(({ reason, name, mode }) => ({ reason, name, mode }));
}

/** A result with these rules, as the API and the command line show it. */
export interface ShownResult extends BacktestResult {
  readonly unmatched: readonly UnmatchedRule[];
}

export function shownResult(result: BacktestResult): ShownResult {
  return { ...result, unmatched: unmatchedRules(result.candidate) };
}

export interface ActionOutcome {
  readonly action: number;
  /** The name of a custom action in the policy. */
  readonly name: string | undefined;
  readonly count: number;
  readonly capped: number;
}

/** What one policy did. */
export interface PolicyOutcome {
  readonly rules: readonly RuleOutcome[];
  readonly actions: readonly ActionOutcome[];
  readonly flagged: Counted;
  readonly clients: number;
  readonly legitimateClients: number;
  /** Share of fraud among the flagged and labelled events, 0 to 1; `undefined` when none is labelled. */
  readonly precision: number | undefined;
  /** Share of flagged events among those labelled fraud, 0 to 1; `undefined` when there are none. */
  readonly recall: number | undefined;
  readonly money: readonly Money[];
  /** Events labelled fraud that were not flagged, and their amounts (only `fraud` of each currency is not 0). */
  readonly missed: { readonly events: number; readonly money: readonly Money[] };
}

/** Events that one of two policies flags and the other does not. */
export interface ChangedOutcome extends Counted {
  readonly money: readonly Money[];
}

/** What the candidate did with one value of a parameter. */
export interface VariedOutcome extends Omit<PolicyOutcome, 'rules' | 'actions'> {
  /** As written in a policy. */
  readonly value: string;
  /** Events that at least one of the rules that depend on the parameter matched, in any mode. */
  readonly matches: Counted & { readonly money: readonly Money[] };
  /** Amounts of the payments that the policy asked to hold. */
  readonly toHold: readonly Money[];
}

/** The candidate with several values of one parameter. */
export interface VariedResult {
  readonly param: string;
  readonly unit: string | undefined;
  /** Its value in the candidate and, if it has the parameter, in the policy compared with. */
  readonly candidate: string;
  readonly live: string | undefined;
  /** The rules that depend on it, by number. */
  readonly rules: readonly number[];
  /** Ascending. */
  readonly values: readonly VariedOutcome[];
}

export interface BacktestResult {
  /** Events in the requested period. */
  readonly events: {
    readonly decided: number;
    readonly fraud: number;
    readonly legitimate: number;
    /** Retries, which are stored but not applied. */
    readonly repeats: number;
    /** Of erased clients, in the whole source. */
    readonly unreadable: number;
    /** Operations that still waited for their login at the end. */
    readonly waiting: number;
  };
  readonly candidate: PolicyOutcome;
  readonly live: PolicyOutcome | undefined;
  readonly changes: { readonly newlyFlagged: ChangedOutcome; readonly noLongerFlagged: ChangedOutcome } | undefined;
  /** The rules in shadow that ran as if live, by number; absent in results of earlier releases. */
  readonly asLive?: readonly number[];
  /** Set if a parameter was varied. */
  readonly varied?: VariedResult | undefined;
  /** SHA-256 over all decisions of the candidate, chained like the log's, in hex. Equal inputs have equal digests. */
  readonly digest: string;
  /** Remarks for the reader. */
  readonly notes: readonly string[];
}
