import type { Enrichment, Event, Operation } from '@ringfence/contract';
import { blindIndex } from '../../platform/secrets/blind-index.ts';

/** What an event contains besides its client and its session, and can be found by. */
export const entityKinds = ['device', 'ip', 'account', 'payee', 'reference'] as const;
export type EntityKind = (typeof entityKinds)[number];

/** The values in one event. */
export type Entities = Readonly<Partial<Record<EntityKind, string>>>;

/** With 16 bytes, two of a million million values collide by chance; the indexes are half as large as with all 32. */
const indexBytes = 16;

/** The keyed hash by which events with a value are found. */
export function entityIndex(indexKey: Uint8Array, kind: EntityKind, value: string): Buffer {
  return blindIndex(indexKey, value, `console ${kind}`).subarray(0, indexBytes);
}

export function entitiesOf(event: Event, facts: Enrichment['facts']): Entities {
  if (event.kind === 'operation') return operationEntities(event);
  const device = facts['device.id'];
  return {
    ...(typeof device === 'string' ? { device } : {}),
    ...(event.publicIp === undefined || facts['ip.valid'] !== true ? {} : { ip: event.publicIp.toLowerCase() }),
  };
}

function operationEntities({ account, debitFrom, accountTo, creditTo, transaction }: Operation): Entities {
  const own = accountName(account?.bank, account?.accountNumber) ?? accountName(debitFrom?.bank, debitFrom?.account);
  // The same as the fact `payee.id`.
  const payee =
    accountName(accountTo?.bank, accountTo?.accountNumber) ?? accountName(creditTo?.bank, creditTo?.account);
  const reference = transaction?.reference;
  return {
    ...(own === undefined ? {} : { account: own }),
    ...(payee === undefined ? {} : { payee }),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** The name of an account: `bank/number`, with an empty bank if there is none. */
function accountName(bank: string | undefined, number: string | undefined): string | undefined {
  return number === undefined ? undefined : `${bank ?? ''}/${number}`;
}
