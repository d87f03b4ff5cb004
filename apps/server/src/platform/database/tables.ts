import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';

/**
 * The tables that filtered queries are built over, with the types of the pool's parsers: bigint as a safe number,
 * timestamptz as a Date. Fixed statements stay plain SQL next to the code that needs them.
 */
export interface Tables {
  readonly event: EventTable;
}

export interface EventTable {
  readonly workspace_id: string;
  readonly offset: number;
  readonly epoch: number;
  readonly kind: 'login' | 'logout' | 'operation';
  readonly subject: string | null;
  readonly session_index: Buffer | null;
  readonly channel_id: number | null;
  readonly logged_at: Date;
  readonly event_at: Date | null;
  readonly status: 'waiting' | 'decided' | 'repeat' | 'unreadable' | 'quarantined';
  readonly decided_at: Date | null;
  readonly policy_version: number | null;
  readonly repeat_of: number | null;
  readonly matched: boolean | null;
  readonly mismatch: 'noLogin' | 'otherClient' | 'otherChannel' | 'closed' | 'expired' | null;
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
  readonly detail: Buffer | null;
  /** Keyed hashes of what the event names. */
  readonly device: Buffer | null;
  readonly ip: Buffer | null;
  readonly account: Buffer | null;
  readonly payee: Buffer | null;
  readonly reference: Buffer | null;
  /** Of the reference as it was sent, if it was masked. */
  readonly sent_reference: Buffer | null;
  /** In digits. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Codes of the event's warnings, except those that its row already shows. */
  readonly warnings: readonly string[] | null;
  /** Bank of the payee. */
  readonly payee_bank: string | null;
  /** Of the address of the event, or of its session's login. */
  readonly country: string | null;
  /** Rules in `shadow` that did not act because the event is in the control group of a model. */
  readonly control: readonly number[] | null;
}

/** Builds queries over `Tables` and runs them on the pool. Does not take ownership of the pool. */
export function queriesOver(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
