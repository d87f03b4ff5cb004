import type { Decimal } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import { payeeOf } from '../facts/payee.ts';
import type { EventRecord, SubjectId } from '../record.ts';
import type { HoldBook } from './hold-book.ts';
import type { HoldTally } from './hold-tally.ts';

/** The event whose facts are read. */
export interface HeldEvent {
  readonly subject: SubjectId | undefined;
  readonly arrival: { readonly record: Pick<EventRecord, 'event'> };
}

/** Reads a fact about holds, as of just before the event's own rules are applied. */
export type HoldReader = (holds: HoldBook, held: HeldEvent) => FactValue;

function ofClient(read: (tally: HoldTally | undefined, held: HeldEvent) => FactValue): HoldReader {
  return (holds, held) => {
    const { subject } = held;
    return subject === undefined ? undefined : read(holds.tallyOf({ subject }), held);
  };
}

function ofPayee(read: (tally: HoldTally | undefined, held: HeldEvent) => FactValue): HoldReader {
  return (holds, held) => {
    const { event } = held.arrival.record;
    const payee = event.kind === 'operation' ? payeeOf(event) : undefined;
    return payee === undefined ? undefined : read(holds.tallyOf({ payee }), held);
  };
}

function count(tally: HoldTally | undefined): FactValue {
  return tally?.count ?? 0;
}

function amount(tally: HoldTally | undefined, { arrival }: HeldEvent): FactValue {
  const { event } = arrival.record;
  const currency = event.kind === 'operation' ? event.order?.currency : undefined;
  return (tally?.sum(currency) ?? 0n) as Decimal;
}

/**
 * Facts that the rules of the event before may change. They are filled in when its rules are done, after the features
 * of the events that are stepped together.
 */
export const holdFacts: Readonly<Record<string, HoldReader>> = {
  'client.heldPayments': ofClient(count),
  'client.heldAmount': ofClient(amount),
  'payee.heldPayments': ofPayee(count),
  'payee.heldAmount': ofPayee(amount),
};
