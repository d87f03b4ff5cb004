import { type Login, type Logout, type Operation, parseDecimal } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import type { EventContext } from './event-context.ts';

/** Reads one fact of an event. `undefined` means missing. */
export type FactReader = (context: EventContext) => FactValue;

type Entry = Login | Logout;

/** A fact of logins and logouts only. */
function entry(read: (event: Entry) => FactValue): FactReader {
  return ({ event }) => (event.kind === 'operation' ? undefined : read(event));
}

/** A fact of operations only. */
function operation(read: (event: Operation) => FactValue): FactReader {
  return ({ event }) => (event.kind === 'operation' ? read(event) : undefined);
}

function detailsOf({ transaction }: Operation): FactValue {
  const details = transaction?.details;
  return details === undefined ? undefined : new Map(Object.entries(details));
}

/** Members of the bodies, by path. Absent members are `undefined` already. */
export const wireFacts: Readonly<Record<string, FactReader>> = {
  channelId: ({ event }) => event.channelId,
  user: entry((event) => event.user),
  publicIp: entry((event) => event.publicIp),
  data: entry((event) => event.data),
  timestamp: ({ event, arrival }) => (event.kind === 'operation' ? arrival.record.enrichment.statedAtMs : undefined),
  'transaction.category': operation((event) => event.transaction?.category),
  'transaction.type': operation((event) => event.transaction?.type),
  'transaction.description': operation((event) => event.transaction?.description),
  'transaction.reference': operation((event) => event.transaction?.reference),
  'transaction.date': operation((event) => event.transaction?.date),
  'transaction.details': operation(detailsOf),
  'account.client': operation((event) => event.account?.client),
  'account.clientRefId': operation((event) => event.account?.clientRefId),
  'account.clientRefIdStr': operation((event) => event.account?.clientRefIdStr),
  'account.email': operation((event) => event.account?.email),
  'account.phoneNumber': operation((event) => event.account?.phoneNumber),
  'account.session': operation((event) => event.account?.session),
  'account.accountNumber': operation((event) => event.account?.accountNumber),
  'account.bank': operation((event) => event.account?.bank),
  'order.amount': operation(({ order }) => (order?.amount === undefined ? undefined : parseDecimal(order.amount))),
  'order.amountText': operation((event) => event.order?.amount),
  'order.currency': operation((event) => event.order?.currency),
  'accountTo.client': operation((event) => event.accountTo?.client),
  'accountTo.accountNumber': operation((event) => event.accountTo?.accountNumber),
  'accountTo.bank': operation((event) => event.accountTo?.bank),
  'debitFrom.account': operation((event) => event.debitFrom?.account),
  'debitFrom.bank': operation((event) => event.debitFrom?.bank),
  'debitFrom.currency': operation((event) => event.debitFrom?.currency),
  'creditTo.account': operation((event) => event.creditTo?.account),
  'creditTo.bank': operation((event) => event.creditTo?.bank),
  'creditTo.currency': operation((event) => event.creditTo?.currency),
  'creditCard.bin': operation((event) => event.creditCard?.bin),
  'creditCard.hash': operation((event) => event.creditCard?.hash),
  'creditCard.last4Digits': operation((event) => event.creditCard?.last4Digits),
  'creditCard.token': operation((event) => event.creditCard?.token),
};
