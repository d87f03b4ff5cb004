import type { ClientBase } from 'pg';
import { moneyPoints } from './rank.ts';

/**
 * The newest orders of a currency, from which its ordinary amount is taken: a day of a small bank, a minute of a large
 * one.
 */
const ordersMax = 1_000;

/** An amount and its currency, of an order or an alert. */
export interface Money {
  readonly amount: string | null;
  readonly currency: string | null;
}

/** Compares amounts with what is ordinary in their currency, for one batch. */
export class MoneyScale {
  readonly #client: ClientBase;
  readonly #workspaceId: string;
  readonly #ordinary = new Map<string, number | undefined>();

  constructor(client: ClientBase, workspaceId: string) {
    this.#client = client;
    this.#workspaceId = workspaceId;
  }

  /** The points that an amount adds to the rank of an alert. */
  async points({ amount, currency }: Money): Promise<number> {
    if (amount === null || currency === null) return 0;
    if (!this.#ordinary.has(currency)) this.#ordinary.set(currency, await this.#readOrdinary(currency));
    return moneyPoints(Number(amount), this.#ordinary.get(currency));
  }

  /** The amount with more points; in one currency, the greater amount. */
  async greaterOf<Some extends Money>(one: Some, other: Money): Promise<Some | Money> {
    if (other.amount === null) return one;
    if (one.amount === null) return other;
    if (one.currency === other.currency) return Number(other.amount) > Number(one.amount) ? other : one;
    return (await this.points(other)) > (await this.points(one)) ? other : one;
  }

  /** The median of the newest orders, including those of the current batch. */
  async #readOrdinary(currency: string): Promise<number | undefined> {
    const found = await this.#client.query<{ ordinary: string | null }>({
      name: 'alert_ordinary_amount',
      text: `select (percentile_disc(0.5) within group (order by n.amount))::text as ordinary
               from (select amount from event
                      where workspace_id = $1 and currency = $2 order by "offset" desc limit ${ordersMax}) n`,
      values: [this.#workspaceId, currency],
    });
    const { ordinary = null } = found.rows[0] ?? {};
    return ordinary === null ? undefined : Number(ordinary);
  }
}
