import { Type } from 'typebox';
import { exactly, listOf, text } from '../../config/shape.ts';
import { itemsPerChangeMax, type ListSummary, type StoredItem } from '../../directives/live-lists.ts';
import { choice, count, flag, instant, inWorkspace, list, word } from './members.ts';

const partLengthMax = 256;

const partsSchema = listOf(text({ maxLength: partLengthMax, description: 'One value.', expected: 'a text' }), {
  minItems: 1,
  maxItems: 2,
  expected: 'one value, or two of a pair',
  description: 'One value, or two of a pair, in the order of `of`.',
});

export const listSummarySchema = Type.Object(
  {
    name: word('Its name: `lists.name` in conditions.', 'mulePayees'),
    description: Type.Optional(word('What it is for.', 'Accounts that are known to be mules.')),
    of: list(word('A fact.', 'payee.id'), 'The fact whose values it lists, or two for pairs.'),
    type: word('Type of its values.', 'string'),
    live: flag('Its items come and go while the policy stays.'),
    max: Type.Optional(count('Items that it may have beside those of the policy’s files.', 10_000)),
    declared: count('Items that the policy’s files give it.', 2),
    items: count('Items that it has beside these.', 17),
  },
  { title: 'List' },
);

export function printList(told: ListSummary): Type.Static<typeof listSummarySchema> {
  const { name, description, of, type, live, declared, items } = told;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    of: [...of],
    type,
    live: live !== undefined,
    ...(live === undefined ? {} : { max: live.max }),
    declared,
    items,
  };
}

export const listItemSchema = Type.Object(
  {
    parts: list(word('A value.', 'BANK-A/123456'), 'One value, or two of a pair.'),
    author: word('Who put it there.', 'mara'),
    comment: word('Why.', 'reported by another bank'),
    addedAt: instant('When it came.'),
    expiresAt: Type.Optional(instant('When it goes.')),
  },
  { title: 'ListItem' },
);

export function printItem(item: StoredItem): Type.Static<typeof listItemSchema> {
  const { parts, author, comment, addedAtMs, expiresAtMs } = item;
  return {
    parts: [...parts],
    author,
    comment,
    addedAt: new Date(addedAtMs).toISOString(),
    ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
}

export const inList = exactly({
  ...inWorkspace.properties,
  list: text({ maxLength: 64, description: 'Name of the list.', expected: 'the name of a list' }),
});

const newItemSchema = exactly({
  parts: partsSchema,
  expiresAt: Type.Optional(text({ maxLength: 40, description: 'When it goes; left out: never.', expected: 'a time' })),
});

export const listChangeBody = exactly({
  put: Type.Optional(
    listOf(newItemSchema, {
      minItems: 0,
      maxItems: itemsPerChangeMax,
      expected: 'a list of items',
      description: 'Items that come, or stay until another time.',
    }),
  ),
  remove: Type.Optional(
    listOf(partsSchema, {
      minItems: 0,
      maxItems: itemsPerChangeMax,
      expected: 'a list of items',
      description: 'Items that go.',
    }),
  ),
  comment: text({ maxLength: 1_000, description: 'Why.', expected: 'a text' }),
});

export const acceptedSchema = Type.Object({ status: choice(['accepted'], 'It is in the log.') });
