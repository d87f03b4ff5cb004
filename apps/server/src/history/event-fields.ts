import type { EventKind } from '@ringfence/contract';

/** `texts` is a mapping of names to texts. */
export type FieldType = 'text' | 'int' | 'texts';

export interface EventField {
  /** The member's name, in the event or in its object that `inside` names. */
  readonly name: string;
  readonly inside: string | undefined;
  readonly type: FieldType;
}

function field(path: string, type: FieldType = 'text'): EventField {
  const [first = '', second] = path.split('.', 2);
  return second === undefined ? { name: first, inside: undefined, type } : { name: second, inside: first, type };
}

const entry = [
  field('channelId', 'int'),
  field('user'),
  field('session'),
  field('publicIp'),
  field('data'),
  field('timestamp'),
];

/**
 * Every member of an event, in the order of packed events. Packed events are stored, so a new member is added at the
 * end of its list, and none is ever removed. A test compares the lists with the wire's schemas.
 */
export const eventFields: Readonly<Record<EventKind, readonly EventField[]>> = {
  login: entry,
  logout: entry,
  operation: [
    field('channelId', 'int'),
    field('timestamp'),
    field('transaction.category'),
    field('transaction.type'),
    field('transaction.description'),
    field('transaction.reference'),
    field('transaction.date'),
    field('transaction.details', 'texts'),
    field('account.client'),
    field('account.clientRefId', 'int'),
    field('account.clientRefIdStr'),
    field('account.email'),
    field('account.phoneNumber'),
    field('account.session'),
    field('account.accountNumber'),
    field('account.bank'),
    field('order.amount'),
    field('order.currency'),
    field('accountTo.client'),
    field('accountTo.accountNumber'),
    field('accountTo.bank'),
    field('debitFrom.account'),
    field('debitFrom.bank'),
    field('debitFrom.currency'),
    field('creditTo.account'),
    field('creditTo.bank'),
    field('creditTo.currency'),
    field('creditCard.bin'),
    field('creditCard.hash'),
    field('creditCard.last4Digits'),
    field('creditCard.token'),
  ],
};
