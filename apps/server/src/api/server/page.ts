import { Problem } from '@ringfence/contract';

/** One page of a list, newest first; pass `next` as `cursor` to get the next page. It is absent on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The lists with keyset pagination. Keys are never reused, so a cursor stays valid. */
export type ListName =
  | 'event'
  | 'action'
  | 'refused'
  | 'audit'
  | 'alert'
  | 'queue'
  | 'alert-risk'
  | 'alert-money'
  | 'alert-oldest'
  | 'alert-newest'
  | 'label'
  | 'outcome'
  | 'item'
  | 'hold';

/** Prints an opaque cursor: the key of the last item of a page, in one part or in several. */
export function printCursor(list: ListName, ...key: readonly (number | string)[]): string {
  return Buffer.from([list, ...key].join(':')).toString('base64url');
}

/** A key of one whole number. */
const wholeKey = [/^\d{1,16}$/];

/** @throws Problem `request.invalid` for a cursor that does not belong to this list */
export function readCursor(list: ListName, cursor: string | undefined): number | undefined {
  const key = readKey(list, cursor, wholeKey);
  return key === undefined ? undefined : Number(key[0]);
}

/**
 * A key of several parts.
 *
 * @param shapes of the parts, which contain no colon
 * @throws Problem as `readCursor`
 */
export function readKey(
  list: ListName,
  cursor: string | undefined,
  shapes: readonly RegExp[],
): readonly string[] | undefined {
  if (cursor === undefined) return undefined;
  const [of, ...key] = Buffer.from(cursor, 'base64url').toString('latin1').split(':');
  if (of === list && key.length === shapes.length && shapes.every((shape, at) => shape.test(key[at]!))) return key;
  throw new Problem('request.invalid', 'The cursor does not belong to this list.', {
    errors: [{ pointer: '/cursor', detail: 'not a cursor of this list', expected: 'the `next` of the previous page' }],
  });
}

/** Makes a page from up to `limit` + 1 rows: the extra row shows that there is a next page. */
export function pageOf<Row>(
  list: ListName,
  rows: readonly Row[],
  page: { readonly limit: number; readonly keyOf: (row: Row) => number | readonly string[] },
): Page<Row> {
  const items = rows.slice(0, page.limit);
  return rows.length > page.limit
    ? { items, next: printCursor(list, ...[page.keyOf(items.at(-1)!)].flat()) }
    : { items };
}
