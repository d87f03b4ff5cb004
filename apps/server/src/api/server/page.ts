import { Problem } from '@ringfence/contract';

/** One page of a list, newest first; `next` is given back as `cursor`, and is absent on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** What the rows of a list are numbered by. A number is given once and never again, so that a cursor stays good. */
export type ListName = 'event' | 'action' | 'refused' | 'audit' | 'alert' | 'queue' | 'label' | 'item';

/** An opaque cursor: where the page before ended. */
export function printCursor(list: ListName, key: number): string {
  return Buffer.from(`${list}:${key}`).toString('base64url');
}

/** @throws Problem `request.invalid` for a cursor that no page of this list gave */
export function readCursor(list: ListName, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [of, key] = Buffer.from(cursor, 'base64url').toString('latin1').split(':', 2);
  if (of === list && key !== undefined && /^\d{1,16}$/.test(key)) return Number(key);
  throw new Problem('request.invalid', 'The cursor is none that a page of this list gave.', {
    errors: [{ pointer: '/cursor', detail: 'not a cursor of this list', expected: 'the `next` of the page before' }],
  });
}

/** A page out of one row more than it holds: the row too many says that there is a next page. */
export function pageOf<Row>(
  list: ListName,
  rows: readonly Row[],
  page: { readonly limit: number; readonly keyOf: (row: Row) => number },
): Page<Row> {
  const items = rows.slice(0, page.limit);
  return rows.length > page.limit ? { items, next: printCursor(list, page.keyOf(items.at(-1)!)) } : { items };
}
