import { Type } from 'typebox';
import type { PolicyList } from '@ringfence/policy';
import { maskAddress, maskFacts } from '../../access/audit/personal.ts';
import { exactly, listOf, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { itemsPerChangeMax } from '../../policies/directives/change-list.ts';
import type { StoredItem } from '../../policies/directives/list-item-rows.ts';
import type { ListSummary, LiveList } from '../../policies/directives/live-lists.ts';
import { showMember } from '../server/show-member.ts';
import {
  choice,
  count,
  flag,
  instant,
  inWorkspace,
  list,
  nonPersonalWord,
  pageQuery,
  personal,
  seldom,
  word,
} from '../server/members.ts';

const partLengthMax = 256;

const partsSchema = listOf(text({ maxLength: partLengthMax, description: 'One value.', expected: 'a text' }), {
  minItems: 1,
  maxItems: 2,
  expected: 'one value, or two of a pair',
  description: 'One value, or two of a pair, in the order of `of`.',
});

export const listSummarySchema = Type.Object(
  {
    name: nonPersonalWord('Its name: `lists.name` in conditions.', 'mulePayees'),
    description: Type.Optional(nonPersonalWord('Its purpose.', 'Accounts that are known to be mules.')),
    of: list(nonPersonalWord('A fact.', 'payee.id'), 'The fact whose values it lists, or two for pairs.'),
    type: nonPersonalWord('Type of its values.', 'string'),
    live: flag('Its items can change without a new policy version.'),
    max: Type.Optional(count('Maximum number of items in addition to those in the policy’s files.', 10_000)),
    declared: count('Number of items in the policy’s files.', 2),
    items: count('Number of items in addition to these.', 17),
    rules: list(count('A rule.', 301), 'Reasons of the rules that use it, directly or by a feature.'),
    changedAt: Type.Optional(instant('When an item was last added, changed or removed.')),
    changedBy: Type.Optional(nonPersonalWord('Who made that change.', 'mara')),
  },
  { title: 'PolicyList' },
);

export function printList(told: ListSummary): Type.Static<typeof listSummarySchema> {
  const { name, description, of, type, live, declared, items, rules, changed } = told;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    of: [...of],
    type,
    live: live !== undefined,
    ...(live === undefined ? {} : { max: live.max }),
    declared,
    items,
    rules: [...rules],
    ...(changed === undefined
      ? {}
      : { changedAt: new Date(changed.changedAtMs).toISOString(), changedBy: changed.changedBy }),
  };
}

/** The list of an item, on the item: only the list says whether its values are personal. JSON has no symbols. */
const itemList = Symbol('list');

function maskParts(
  parts: readonly string[],
  { [itemList]: list }: { readonly [itemList]: Pick<PolicyList, 'of' | 'isAddress'> },
): readonly string[] {
  if (list.isAddress) return parts.map(maskAddress);
  return parts.map((part, at) => maskFacts({ [list.of[at] ?? '']: part })[list.of[at] ?? ''] ?? part);
}

export const listItemSchema = Type.Object(
  {
    ref: nonPersonalWord('Identifies the item without revealing it.', 'x7Qm2…'),
    parts: personal(list(word('A value.', 'BANK-A/123456'), 'One value, or two of a pair.'), maskParts),
    state: choice(['present', 'expired', 'removed'], 'Whether it is on the list.'),
    author: nonPersonalWord('Who added it.', 'mara'),
    comment: nonPersonalWord('Why.', 'reported by another bank'),
    addedAt: instant('When it was added.'),
    expiresAt: Type.Optional(instant('When it ends, or ended.')),
    removedBy: seldom(nonPersonalWord('Who removed it.', 'luis')),
    removedAt: seldom(instant('When.')),
  },
  { title: 'ListItem' },
);

type PrintedItem = Type.Static<typeof listItemSchema> & { readonly [itemList]: LiveList };

export function printItem(item: StoredItem, list: LiveList): PrintedItem {
  const { ref, parts, state, author, comment, addedAtMs, expiresAtMs, removedBy, removedAtMs } = item;
  const printed = (atMs: number): string => new Date(atMs).toISOString();
  return {
    ref,
    parts: [...parts],
    [itemList]: list,
    state,
    author,
    comment,
    addedAt: printed(addedAtMs),
    ...(expiresAtMs === undefined ? {} : { expiresAt: printed(expiresAtMs) }),
    ...(removedBy === undefined ? {} : { removedBy }),
    ...(removedAtMs === undefined ? {} : { removedAt: printed(removedAtMs) }),
  };
}

export const inList = exactly({
  ...inWorkspace.properties,
  list: text({ maxLength: 64, description: 'Name of the list.', expected: 'the name of a list' }),
});

/** A list of 100,000 items then has a hundred pages. */
const itemsPerPageMax = 1_000;

export const itemsQuery = exactly({
  state: Type.Optional(
    oneOf(['present', 'ended'], {
      description: '`present` (the default), or `ended`: expired or removed in the last 30 days.',
    }),
  ),
  text: Type.Optional(
    text({
      maxLength: partLengthMax,
      description: 'Part of a value, of its author, or of its comment. While values are masked: only a whole value.',
      expected: 'a text',
    }),
  ),
  limit: wholeNumber({ minimum: 1, maximum: itemsPerPageMax, default: 50, description: 'Items per page.' }),
  cursor: pageQuery.cursor,
  ...showMember,
});

const refSchema = text({
  maxLength: 64,
  description: 'The ref of an item that is on the list, or was in the last 30 days.',
  expected: 'the ref of an item',
});

const newItemSchema = exactly({
  parts: Type.Optional(partsSchema),
  ref: Type.Optional(refSchema),
  expiresAt: Type.Optional(text({ maxLength: 40, description: 'When it ends; by default never.', expected: 'a time' })),
});

const itemsOf = <Item extends Type.TSchema>(item: Item, description: string) =>
  Type.Optional(listOf(item, { minItems: 0, maxItems: itemsPerChangeMax, expected: 'a list of items', description }));

export const listChangeBody = exactly({
  put: itemsOf(newItemSchema, 'Items to add, or to keep until another time: each by its parts or by its ref.'),
  remove: itemsOf(partsSchema, 'Items to remove, by their parts.'),
  removeRefs: itemsOf(refSchema, 'Items to remove, by their refs.'),
  comment: text({ maxLength: 1_000, description: 'Why.', expected: 'a text' }),
});

export const acceptedSchema = Type.Object({
  status: choice(['accepted'], 'It is in the log.'),
  absent: list(
    nonPersonalWord('A pointer.', '/remove/0'),
    'Items of `remove` and `removeRefs` that were not on the list.',
  ),
});
