import type { EpochMs } from './time.ts';

/** The digits of a decimal number exactly as on the wire, for example `10.10`. */
export type DecimalText = string & { readonly of: 'decimal' };

/**
 * Members of the specification, under the interface's own names. Null and "" in optional members mean absent and are
 * dropped: absent is `undefined`. Unknown members stay in the received body only.
 */
export interface Login {
  readonly kind: 'login';
  readonly channelId: number;
  readonly user: string;
  readonly session?: string;
  /** In canonical form; a text that is no address as it was sent (the fact `ip.valid` shows this). */
  readonly publicIp: string;
  /** Encrypted device information; "" when the device SDK failed. */
  readonly data: string;
  readonly timestamp?: string;
}

export interface Logout {
  readonly kind: 'logout';
  readonly channelId: number;
  readonly user: string;
  /** Absent or "" on the wire: the unnamed session. */
  readonly session?: string;
  readonly publicIp?: string;
  readonly data?: string;
  readonly timestamp?: string;
}

export interface Operation {
  readonly kind: 'operation';
  readonly channelId: number;
  readonly timestamp?: string;
  readonly transaction?: {
    readonly category?: string;
    readonly type?: string;
    readonly description?: string;
    readonly reference?: string;
    readonly date?: string;
    readonly details?: Readonly<Record<string, string>>;
  };
  readonly account?: {
    readonly client?: string;
    readonly clientRefId?: number;
    readonly clientRefIdStr?: string;
    readonly email?: string;
    readonly phoneNumber?: string;
    readonly session?: string;
    readonly accountNumber?: string;
    readonly bank?: string;
  };
  readonly order?: { readonly amount?: DecimalText; readonly currency?: string };
  readonly accountTo?: { readonly client?: string; readonly accountNumber?: string; readonly bank?: string };
  readonly debitFrom?: { readonly account?: string; readonly bank?: string; readonly currency?: string };
  readonly creditTo?: { readonly account?: string; readonly bank?: string; readonly currency?: string };
  /** `hash` is never the one that was sent: ingest replaces it by a keyed HMAC before anything is stored. */
  readonly creditCard?: {
    readonly bin?: string;
    readonly hash?: string;
    readonly last4Digits?: string;
    readonly token?: string;
  };
}

export type Event = Login | Logout | Operation;
export type EventKind = Event['kind'];

/** All kinds, in the order of the interface specification. */
export const eventKinds = ['login', 'logout', 'operation'] as const satisfies readonly EventKind[];

/** Whether a name is a kind of event: the log contains other kinds of records too. */
export function isEventKind(name: string): name is EventKind {
  return name === 'login' || name === 'logout' || name === 'operation';
}

/**
 * The enrichment: what ingest adds to an event before it is encrypted and appended, so that replay needs no clock, no
 * time zone table and no data file. Stored in the record next to the body.
 */
export interface Enrichment {
  /** The event's own time, if it states one: of an operation, `timestamp` before `transaction.date`. */
  readonly statedAtMs?: EpochMs;
  /**
   * The keyed index of `transaction.reference` as it was sent, in base64url, if a card number in it was masked: several
   * references may look the same after masking.
   */
  readonly referenceIndex?: string;
  /** What an operation of a development workspace asks for by `transaction.details` (`ringfence.test`). */
  readonly sandbox?: string;
  /** Derived facts by path, for example `{"ip.valid": true}`. Missing facts are omitted. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

/** The client of an event: `user` of login and logout, `account.client` of an operation. */
export function clientOf(event: Event): string | undefined {
  return event.kind === 'operation' ? event.account?.client : event.user;
}

/** The session of an event; `undefined` is the unnamed session. */
export function sessionOf(event: Event): string | undefined {
  return event.kind === 'operation' ? event.account?.session : event.session;
}
