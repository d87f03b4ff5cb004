import type { EpochMs } from './time.ts';

/** The digits of a decimal number exactly as they stood on the wire, for example `10.10`. */
export type DecimalText = string & { readonly of: 'decimal' };

/**
 * Members of the spec, with null and "" already dropped from optional ones: absent is `undefined`.
 * Names are the interface's own. Unknown members are not here; they stay in the body that was received.
 */
export interface Login {
  readonly kind: 'login';
  readonly channelId: number;
  readonly user: string;
  readonly session?: string;
  /** As sent; it may be no address at all (the fact `ip.valid` says so). */
  readonly publicIp: string;
  /** Encrypted device information; "" when the device SDK failed. */
  readonly data: string;
}

export interface Logout {
  readonly kind: 'logout';
  readonly channelId: number;
  readonly user: string;
  /** Absent on the wire as "": the unnamed session. */
  readonly session?: string;
  readonly publicIp?: string;
  readonly data?: string;
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
  /** `hash` is never the one that was sent: the door replaces it by a keyed HMAC before anything is stored. */
  readonly creditCard?: {
    readonly bin?: string;
    readonly hash?: string;
    readonly last4Digits?: string;
    readonly token?: string;
  };
}

export type Event = Login | Logout | Operation;
export type EventKind = Event['kind'];

/** Every kind, in the order of the interface specification. */
export const eventKinds = ['login', 'logout', 'operation'] as const satisfies readonly EventKind[];

/** Whether a name is that of a kind of event: records of the log have others beside. */
export function isEventKind(name: string): name is EventKind {
  return name === 'login' || name === 'logout' || name === 'operation';
}

/**
 * What the door adds to an event before it is sealed and appended, so that replay needs no clock, no time
 * zone table and no data file. Kept in the record beside the body.
 */
export interface DoorFacts {
  /** An operation's own instant, `timestamp` before `transaction.date`. Absent for login and logout. */
  readonly statedAtMs?: EpochMs;
  /** Derived facts by path, for example `{"ip.valid": true}`. Missing facts are left out. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

/** The client an event speaks of: `user` of login and logout, `account.client` of an operation. */
export function clientOf(event: Event): string | undefined {
  return event.kind === 'operation' ? event.account?.client : event.user;
}

/** The session an event names; `undefined` is the unnamed session. */
export function sessionOf(event: Event): string | undefined {
  return event.kind === 'operation' ? event.account?.session : event.session;
}
