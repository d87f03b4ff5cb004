/**
 * Rows of `event_entity`: the search keys and the warnings of an event. The deciding thread writes them with its
 * decisions, because it has the events decrypted; the console's feed writes missing ones.
 */
import { bytesArray, textArray } from '@ringfence/log';
import { bankOf } from './banks.ts';
import { type Entities, entitiesOf, entityIndex, entityKinds } from './entities.ts';
import { warningsOf } from './event-warnings.ts';
import type { IndexedEvent } from './opened-event.ts';

export interface EntityRow {
  /** Keyed hashes, in the order of `entityKinds`. */
  readonly indexes: readonly (Buffer | null)[];
  /** Its digits. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Codes, as an array in PostgreSQL's text format; `null` for none. */
  readonly warnings: string | null;
  /** Banks of its accounts. */
  readonly banks: readonly string[];
}

/** The row of an event that is no longer readable. */
export const nothingSaid: EntityRow = {
  indexes: entityKinds.map(() => null),
  amount: null,
  currency: null,
  warnings: null,
  banks: [],
};

/** @param indexKey the workspace's `index` key */
export function entityRowOf(indexKey: Uint8Array, said: IndexedEvent, loggedAtMs: number): EntityRow {
  const { event, facts } = said;
  const entities = entitiesOf(event, facts);
  const order = event.kind === 'operation' ? event.order : undefined;
  const warnings = warningsOf(said, loggedAtMs);
  return {
    indexes: entityKinds.map((kind) => {
      const value = entities[kind];
      return value === undefined ? null : entityIndex(indexKey, kind, value);
    }),
    amount: order?.amount ?? null,
    currency: order?.currency ?? null,
    warnings: warnings.length === 0 ? null : `{${warnings.join(',')}}`,
    banks: banksOf(entities),
  };
}

function banksOf({ account, payee }: Entities): readonly string[] {
  return [bankOf(account), bankOf(payee)].filter((bank) => bank !== undefined);
}

/** The columns of some rows, each as an array: kinds in their order, amount, currency, warnings. */
export function entityColumns(rows: readonly EntityRow[]): readonly unknown[] {
  return [
    ...entityKinds.map((_, place) => bytesArray(rows.map(({ indexes }) => indexes[place]))),
    textArray(rows.map(({ amount }) => amount)),
    textArray(rows.map(({ currency }) => currency)),
    textArray(rows.map(({ warnings }) => warnings)),
  ];
}
