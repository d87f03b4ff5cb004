import { Type } from 'typebox';
import { exactly, text, wholeNumber } from '../../platform/shapes/shape.ts';

/** Members that occur in several answers of the management API. */

export function instant(description: string, example = '2026-11-21T16:15:30.250Z'): Type.TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    format: 'date-time',
    description: `${description} ISO 8601, UTC.`,
    examples: [example],
  });
}

/** A text. In an answer, mark it with `personal`, or use `nonPersonalWord`: a test refuses text that is not marked. */
export function word(description: string, example: string): Type.TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', description, examples: [example] });
}

/** A text that tells nothing about a client: an id, a name in a policy, what the staff wrote. */
export function nonPersonalWord(description: string, example: string): Type.TUnsafe<string> {
  return nonPersonal(word(description, example));
}

/**
 * Marks a member as personal data: callers who may not see it get what `mask` returns, or nothing if that is
 * `undefined`. `mask` also gets the object that has the member.
 */
export function personal<Value>(
  member: Type.TUnsafe<Value>,
  mask: (value: Value, of: never) => unknown,
): Type.TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...member, 'x-personal': mask });
}

/** Marks a member, with all its members, as free of personal data. */
export function nonPersonal<Member extends Type.TSchema>(member: Member): Type.TUnsafe<Type.Static<Member>> {
  return Type.Unsafe<Type.Static<Member>>({ ...member, 'x-personal': false });
}

/** A mask that removes the whole member. */
export function removed(): undefined {
  return undefined;
}

export function count(description: string, example = 1): Type.TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', minimum: 0, description, examples: [example] });
}

export function flag(description: string, example = true): Type.TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', description, examples: [example] });
}

/** A member that most answers lack: it is documented, but left out of the examples of whole answers. */
export function seldom<Value>(member: Type.TUnsafe<Value>): Type.TOptional<Type.TUnsafe<Value>> {
  return Type.Optional(Type.Unsafe<Value>({ ...member, 'x-seldom': true }));
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
  example: Choice = choices[0]!,
): Type.TUnsafe<Choice> {
  return Type.Unsafe<Choice>({ type: 'string', enum: choices, description, examples: [example] });
}

/** A list in an answer. `example` may be omitted if the example of the items is enough. */
export function list<Item extends Type.TSchema>(
  items: Item,
  description?: string,
  example?: readonly Type.Static<Item>[],
): Type.TUnsafe<readonly Type.Static<Item>[]> {
  return Type.Unsafe<readonly Type.Static<Item>[]>({
    type: 'array',
    items,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  });
}

/** A reason that a person gives for a change. */
export function whyText(of: { readonly maxLength: number; readonly description: string }): Type.TString {
  const expected = 'a reason';
  return text({ ...of, expected, refine: (why) => (why.trim() === '' ? expected : undefined) });
}

/** An object with arbitrary member names. */
export function mapping<Value>(
  values: Type.TSchema,
  description: string,
  example: Readonly<Record<string, Value>>,
): Type.TUnsafe<Readonly<Record<string, Value>>> {
  return Type.Unsafe<Readonly<Record<string, Value>>>({
    type: 'object',
    additionalProperties: values,
    description,
    examples: [example],
  });
}

/** Any JSON value. */
export function anything(description: string): Type.TUnsafe {
  return Type.Unsafe({ description });
}

/** One page of a list. */
export function pageSchema<Item extends Type.TSchema>(
  item: Item,
): Type.TObject<{
  items: Type.TUnsafe<readonly Type.Static<Item>[]>;
  next: Type.TOptional<Type.TUnsafe<string>>;
}> {
  return Type.Object({ items: list(item, 'Newest first.'), next: nextMember });
}

const nextMember = Type.Optional(
  nonPersonalWord(
    'Pass it as `cursor` to get the next page. Absent on the last page. A page can be short or empty although there is a next one: the number of records examined per request is bounded.',
    'ZXZlbnQ6NDI',
  ),
);

/** The workspace parameter of a path. */
export const inWorkspace = exactly({
  workspace: text({
    maxLength: 100,
    description: 'Its id, or `name:environment`.',
    expected: 'the id of a workspace, or name:environment',
  }),
});

/** Bounded by the size of one answer: 200 events of 64 KiB. */
const pageItemsMax = 200;

export const pageQuery = {
  limit: wholeNumber({ minimum: 1, maximum: pageItemsMax, default: 50, description: 'Items per page.' }),
  cursor: Type.Optional(
    text({
      maxLength: 128,
      description: 'The `next` of the previous page.',
      expected: 'the `next` of the previous page',
    }),
  ),
};

/** Documents a type that is declared elsewhere; the tests check answers against the schema. */
export function documenting<Value>(schema: Type.TSchema): Type.TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...schema });
}

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members of an answer that have a value. */
export function withoutUndefined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
}
