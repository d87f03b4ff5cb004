import { type Bounding, boundingOf, exclude, negated } from './bounded-values.ts';
import type { Item } from '../document/item.ts';
import { parseExpression } from '../expression/parse.ts';
import { printExpression } from '../expression/print.ts';
import type { RuleGroup } from '../policy.ts';
import type { ReadFeature } from '../sections/feature-shape.ts';
import type { ReadRule } from '../sections/read-rules.ts';
import { shareWhole } from '../policy.ts';
import { chainOf } from './senseless-conditions.ts';

/** An unused list costs nothing, but its author expects it to have an effect. */
export function warnOfUnreadLists(
  sections: readonly Item[],
  features: ReadonlyMap<string, ReadFeature>,
  rules: readonly ReadRule[],
): void {
  const texts = [
    ...rules.flatMap(({ rule: { text, then, summary } }) => [
      text,
      ...then.map(({ message }) => message),
      ...summary.map(({ template }) => template),
    ]),
    ...[...features.values()].map(({ feature }) => feature?.whereText ?? ''),
  ];
  const read = new Set(texts.flatMap((text) => [...text.matchAll(/\blists\.(\w+)/g)].map(([, name]) => name)));
  for (const { key, keyItem } of sections.flatMap((section) => section.entries('lists') ?? [])) {
    if (!read.has(key)) keyItem.warn(`nothing reads lists.${key}`, 'remove it until something reads it');
  }
}

export function warnOfEmptyGroups(sections: readonly Item[], rules: readonly ReadRule[]): void {
  const named = new Set(rules.map(({ rule }) => rule.group));
  for (const { key, keyItem } of sections.flatMap((section) => section.entries('groups') ?? [])) {
    if (!named.has(key)) keyItem.warn(`no rule is in group ${key}`, `group: ${key} in a rule, or remove the group`);
  }
}

/** A part of a rule's condition that must be true. */
interface Part {
  readonly text: string;
  readonly bounding: Bounding | undefined;
}

/**
 * Rules of a group with `match: first` that are never reached: an earlier rule fires on every event that they match.
 * `event.score >= 30` before `event.score >= 70` is the usual case.
 */
export function warnOfUnreached(rules: readonly ReadRule[], groups: readonly RuleGroup[]): void {
  for (const { name } of groups.filter(({ match }) => match === 'first')) {
    const members = rules
      .filter(({ rule }) => rule.group === name && rule.mode !== 'off')
      .toSorted((a, b) => a.rule.priority - b.rule.priority || a.rule.reason - b.rule.reason)
      .map((read) => ({ ...read, parts: partsOf(read) }));
    for (const [at, { rule, item, parts }] of members.entries()) {
      const first = members
        .slice(0, at)
        .find((earlier) => takesAll(earlier) && isWithin(rule.on, earlier.rule.on) && impliesAll(parts, earlier.parts));
      if (first === undefined) continue;
      const { reason } = first.rule;
      item.warn(
        `rule ${rule.reason} is never reached: rule ${reason} is evaluated before it, and fires on every event that it matches`,
        `a priority below that of rule ${reason}, which is ${first.rule.priority}`,
      );
    }
  }
}

function partsOf({ rule }: ReadRule): readonly Part[] {
  const node = parseExpression(rule.text, () => undefined);
  if (node === undefined) return [];
  return chainOf(node, '&&').map((part) => ({ text: printExpression(part), bounding: boundingOf(part) }));
}

/** Whether it ends the evaluation of its group when it fires. */
function takesAll({ rule }: ReadRule): boolean {
  return rule.mode === 'live' && rule.share === shareWhole;
}

function isWithin<Value>(some: ReadonlySet<Value>, all: ReadonlySet<Value>): boolean {
  return [...some].every((one) => all.has(one));
}

/** Whether all required parts are true if all of these parts are. An unreadable condition proves nothing. */
function impliesAll(parts: readonly Part[], wanted: readonly Part[]): boolean {
  return wanted.length > 0 && wanted.every((part) => parts.some((one) => implies(one, part)));
}

function implies({ text, bounding }: Part, wanted: Part): boolean {
  if (text === wanted.text) return true;
  return bounding !== undefined && wanted.bounding !== undefined && exclude(bounding, negated(wanted.bounding));
}
