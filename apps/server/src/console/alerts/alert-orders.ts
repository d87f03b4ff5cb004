/**
 * The orders of alerts. Each is served by one index, whose columns are its key; the last is unique, so that a page
 * begins exactly where the one before ended, however many alerts are equal in the others.
 */

export const alertSorts = ['queue', 'risk', 'money', 'oldest', 'newest'] as const;
export type AlertSort = (typeof alertSorts)[number];

/** A column of a key, and its text in a cursor. */
interface KeyColumn {
  readonly sql: string;
  readonly printed: string;
  /** The value of a printed one. */
  readonly read: (parameter: string) => string;
  readonly shape: RegExp;
}

export interface AlertOrder {
  readonly key: readonly KeyColumn[];
  readonly direction: 'asc' | 'desc';
}

function column(sql: string, type: string, shape: RegExp): KeyColumn {
  return { sql, printed: `(${sql})::text`, read: (parameter) => `${parameter}::${type}`, shape };
}

const whole = /^\d{1,16}$/;
const seq = column('seq', 'bigint', whole);
const rank = column('rank', 'bigint', whole);

/** Printed in microseconds, which is all that the column has. */
function instant(sql: string): KeyColumn {
  return {
    sql,
    printed: `(extract(epoch from ${sql}) * 1000000)::bigint::text`,
    read: (parameter) => `(timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond')`,
    shape: whole,
  };
}

/** Currencies are not compared with each other: the alerts of one follow those of another, those without money last. */
export const currencyColumn = `coalesce(currency, '')`;
const money = [
  column(currencyColumn, 'text', /^[^:]{0,16}$/),
  column('coalesce(amount, -1)', 'numeric', /^-?\d{1,40}(?:\.\d{1,20})?$/),
];

export const openOrders: Readonly<Record<AlertSort, AlertOrder>> = {
  queue: { key: [rank, seq], direction: 'desc' },
  risk: { key: [column('risk', 'integer', /^\d{1,9}$/), rank, seq], direction: 'desc' },
  money: { key: [...money, seq], direction: 'desc' },
  oldest: { key: [instant('opened_at'), seq], direction: 'asc' },
  newest: { key: [instant('opened_at'), seq], direction: 'desc' },
};

/** The newest decision first. */
export const closedOrder: AlertOrder = { key: [instant('closed_at'), seq], direction: 'desc' };
