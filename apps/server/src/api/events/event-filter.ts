import type { Selectable } from 'kysely';
import type { EntityRef } from '../../console/entity-ref.ts';
import type { EventTable } from '../../platform/database/tables.ts';
import type { EventSummary } from './event-schema.ts';

export interface EventFilter {
  readonly client?: string;
  readonly session?: string;
  readonly kind?: EventSummary['kind'];
  readonly status?: EventSummary['status'];
  /** Only events on which a rule fired, or the rule with this reason. */
  readonly fired?: boolean;
  readonly reason?: number;
  /** Decided by this version of the policy. */
  readonly policyVersion?: number;
  /** Stored at or after `fromMs`, and before `toMs`. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly channel?: number;
  /** An entity that the event names. */
  readonly about?: EntityRef;
  readonly currency?: string;
  /** Decimal numbers as text. */
  readonly amountMin?: string;
  readonly amountMax?: string;
  /** `bank/number`, or a number at any bank. */
  readonly payee?: string;
  readonly payeeBank?: string;
  /** Two letters of ISO 3166-1. */
  readonly country?: string;
}

/** Newest first: at most `limit` events before an offset. */
export interface EventPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** A filter in database terms: clients by random id, sessions by blind index. */
export interface StoredFilter extends Omit<EventFilter, 'client' | 'session' | 'status' | 'payee'> {
  readonly workspaceId: string;
  readonly subject?: string | undefined;
  readonly sessionIndex?: Buffer | undefined;
  /** Keyed hashes of accounts, any of them. */
  readonly payees?: readonly Buffer[] | undefined;
  readonly status?: EventTable['status'] | undefined;
}

/** A row, with the epoch of the event that it repeats: that event may be from another log epoch. */
export type EventRow = Selectable<EventTable> & {
  readonly repeat_epoch: number | null;
  readonly amount: string | null;
  readonly currency: string | null;
};
