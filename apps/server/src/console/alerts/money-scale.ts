import type { ClientBase } from 'pg';
import { moneyPoints } from './rank.ts';

/** Newest orders of a currency that its ordinary amount is taken of: a day of a small bank, a minute of a large one. */
const ordersMax = 1_000;

/** An amount and its currency, as an order or an alert has them. */
export interface Money {
  readonly amount: string | null;
  readonly currency: string | null;
}

/** Weighs money within its currency, for one batch. */
export class MoneyScale {
  readonly #client: ClientBase;
  readonly #workspaceId: string;
  readonly #ordinary = new Map<string, number | undefined>();

  constructor(client: ClientBase, workspaceId: string) {
    this.#client = client;
    this.#workspaceId = workspaceId;
  }

  /** What the money adds to the rank of an alert. */
  async points({ amount, currency }: Money): Promise<number> {
    if (amount === null || currency === null) return 0;
    if (!this.#ordinary.has(currency)) this.#ordinary.set(currency, await this.#readOrdinary(currency));
    return moneyPoints(Number(amount), this.#ordinary.get(currency));
  }

  /** The one of more weight; in one currency, the greater one. */
  async greaterOf<Some extends Money>(one: Some, other: Money): Promise<Some | Money> {
    if (other.amount === null) return one;
    if (one.amount === null) return other;
    if (one.currency === other.currency) return Number(other.amount) > Number(one.amount) ? other : one;
    return (await this.points(other)) > (await this.points(one)) ? other : one;
  }

  /** The median of the newest orders, those of the batch that is being fed among them. */
  async #readOrdinary(currency: string): Promise<number | undefined> {
    const found = await this.#client.query<{ ordinary: string | null }>({
      name: 'alert_ordinary_amount',
      text: `select (percentile_disc(0.5) within group (order by n.amount))::text as ordinary
               from (select amount from event_entity
                      where workspace_id = $1 and currency = $2 order by "offset" desc limit ${ordersMax}) n`,
      values: [this.#workspaceId, currency],
    });
    const { ordinary = null } = found.rows[0] ?? {};
    return ordinary === null ? undefined : Number(ordinary);
  }
}
