import { filtersOf, type EventsSearch } from './events-search.ts';

type Filter = keyof ReturnType<typeof filtersOf>;

interface AsCondition {
  /** In the policy language; "" for no filters. */
  readonly condition: string;
  /** Filters that a condition cannot express: what was decided is not a fact of the event. */
  readonly left: readonly Filter[];
}

const quoted = (text: unknown): string => JSON.stringify(text);

/** A condition for each filter that asks for facts of the event. */
const conditions: { readonly [Name in Filter]?: (value: NonNullable<EventsSearch[Name]>) => string } = {
  kind: (kind) => `event.kind == ${quoted(kind)}`,
  client: (client) => `client.id == ${quoted(client)}`,
  session: (session) => `session.id == ${quoted(session)}`,
  channel: (channel) => `channelId == ${channel}`,
  amountMin: (amount) => `order.amount >= ${amount}`,
  amountMax: (amount) => `order.amount <= ${amount}`,
  currency: (currency) => `order.currency == ${quoted(currency)}`,
  payee: (payee) =>
    payee.includes('/')
      ? `payee.id == ${quoted(payee)}`
      : `(accountTo.accountNumber == ${quoted(payee)} || creditTo.account == ${quoted(payee)})`,
  payeeBank: (bank) => `(accountTo.bank == ${quoted(bank)} || creditTo.bank == ${quoted(bank)})`,
  country: (country) => `ip.country == ${quoted(country)}`,
};

/** The condition that matches the same events as the filters, as far as there is one. */
export function filtersAsCondition(search: EventsSearch): AsCondition {
  const parts: string[] = [];
  const left: Filter[] = [];
  for (const [name, value] of Object.entries(filtersOf(search)) as [Filter, never][]) {
    const print = conditions[name] as ((value: never) => string) | undefined;
    if (print === undefined) left.push(name);
    else parts.push(print(value));
  }
  return { condition: parts.join(' && '), left };
}
