import { type ExplainedCondition, type PolicyTest, printFact } from '@ringfence/policy';
import type { FiredRule } from '../effect.ts';

/** A rule that fired in a test, with the actions that it requested or, in shadow, would have requested. */
export interface Firing {
  readonly rule: FiredRule;
  /** When its event arrived, since the test began. */
  readonly atMs: number;
  readonly actions: readonly number[];
  /** Those of them that a cap of the rule held for a person. */
  readonly held: readonly number[];
}

/** An event on which a rule that the test expects was evaluated and did not fire. */
export interface Refusal {
  readonly reason: number;
  readonly atMs: number;
  readonly why: string;
}

type Expected = PolicyTest['expect'][number];

/** Expectations that were not met, and firings that were not expected. Every firing must be expected. */
export function differencesOf(
  expected: readonly Expected[],
  firings: readonly Firing[],
  refusals: readonly Refusal[],
): readonly string[] {
  const open = firings.map((firing) => ({ firing, actions: [...firing.actions], isNamed: false }));
  const unmet: string[] = [];
  // The most specific expectations choose first, so that a vague one never takes the firing that a specific one needs.
  for (const one of expected.toSorted((a, b) => saidBy(b) - saidBy(a))) {
    const meant = open.filter(({ firing, actions, isNamed }) => {
      const isIt = firing.rule.reason === one.reason && (one.atMs === undefined || one.atMs === firing.atMs);
      return isIt && (one.action === undefined ? !isNamed : actions.includes(one.action));
    });
    const asked = meant.find(({ firing }) => one.action === undefined || !firing.held.includes(one.action));
    const found = asked ?? meant[0];
    if (found === undefined) unmet.push(unmetText(one, firings, refusals));
    else {
      if (asked === undefined) unmet.push(heldText(one, found.firing));
      found.isNamed = true;
      if (one.action !== undefined) found.actions.splice(found.actions.indexOf(one.action), 1);
    }
  }
  const unexpected = open.filter(({ isNamed }) => !isNamed).map(({ firing }) => unexpectedText(firing));
  return [...unmet, ...unexpected];
}

function saidBy({ action, atMs }: Expected): number {
  return (action === undefined ? 0 : 1) + (atMs === undefined ? 0 : 1);
}

/** The parts of a condition that did not hold, with the values that they saw. */
export function refusalText(conditions: readonly ExplainedCondition[]): string {
  const parts = conditions.filter(({ holds }) => holds !== true);
  if (parts.length === 0) return 'its condition did not hold';
  return parts
    .map(
      ({ text, holds, values }) => `${text} ${holds === undefined ? 'lacks a fact' : 'did not hold'}${sawText(values)}`,
    )
    .join('; ');
}

function sawText(values: ExplainedCondition['values']): string {
  const saw = Object.entries(values).map(([path, value]) => `${path} = ${value ?? 'missing'}`);
  return saw.length === 0 ? '' : ` (${saw.join(', ')})`;
}

function unmetText(
  { reason, action, atMs }: Expected,
  firings: readonly Firing[],
  refusals: readonly Refusal[],
): string {
  const others = firings.filter(({ rule }) => rule.reason === reason).map((firing) => spanText(firing.atMs));
  const instead = others.length === 0 ? 'it never fired' : `it fired at ${others.join(', ')}`;
  const asked = refusals.filter((one) => one.reason === reason && (atMs === undefined || one.atMs === atMs));
  const last = asked.at(-1);
  const why = last === undefined ? '' : `; at ${spanText(last.atMs)} ${last.why}`;
  return `${expectedText({ reason, action, atMs })}: ${instead}${why}`;
}

function heldText(expected: Expected, { atMs }: Firing): string {
  return `${expectedText(expected)}: it fired at ${spanText(atMs)}, but maxActions capped the action`;
}

function expectedText({ reason, action, atMs }: Expected): string {
  const what = `rule ${reason}${action === undefined ? '' : ` with action ${action}`}`;
  return `expected ${what}${atMs === undefined ? '' : ` at ${spanText(atMs)}`}`;
}

function unexpectedText({ rule, atMs }: Firing): string {
  const facts = Object.entries(rule.facts).map(([path, value]) => `${path} = ${value}`);
  const why = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `rule ${rule.reason} fired at ${spanText(atMs)}, but was not expected${why}`;
}

/** `+1h30m`: time since the test began, in the notation of tests. */
export function spanText(ms: number): string {
  return `+${printFact(ms, 'duration')}`;
}
