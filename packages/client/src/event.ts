/**
 * An amount: a number, or its decimal digits as text when a double can't represent them ("123456789012.345678"). Both
 * are sent as a JSON number with exactly these digits.
 */
export type Amount = number | string;

/** `POST .../login`: a user logged in. */
export interface LoginEvent {
  readonly channelId: number;
  readonly user: string;
  readonly session?: string | undefined;
  readonly publicIp: string;
  /** The result of the device SDK; "" when it failed. Send the login even then. */
  readonly data: string;
  /** When it happened, for a login that is reported late: ISO 8601. At most 24 hours old, else the arrival counts. */
  readonly timestamp?: string | undefined;
}

/** `POST .../logout`: a user logged out. */
export interface LogoutEvent {
  readonly channelId: number;
  readonly user: string;
  /** The session of the login; "" when the login had none. */
  readonly session: string;
  readonly publicIp?: string | undefined;
  readonly data?: string | undefined;
  /** When it happened, as for a login. */
  readonly timestamp?: string | undefined;
}

/** `POST .../operation`: a transaction, tied to a login by `channelId`, `account.client` and `account.session`. */
export interface OperationEvent {
  readonly channelId: number;
  /** ISO 8601; without a zone, the workspace's zone applies. */
  readonly timestamp: string;
  readonly transaction?: {
    readonly category?: string | undefined;
    readonly type?: string | undefined;
    readonly description?: string | undefined;
    readonly reference?: string | undefined;
    readonly date?: string | undefined;
    readonly details?: Readonly<Record<string, string>> | undefined;
  };
  readonly account?: {
    readonly client?: string | undefined;
    readonly clientRefId?: number | undefined;
    readonly clientRefIdStr?: string | undefined;
    readonly email?: string | undefined;
    readonly phoneNumber?: string | undefined;
    readonly session?: string | undefined;
    readonly accountNumber?: string | undefined;
    readonly bank?: string | undefined;
  };
  readonly order?: { readonly amount?: Amount | undefined; readonly currency?: string | undefined };
  readonly accountTo?: {
    readonly client?: string | undefined;
    readonly accountNumber?: string | undefined;
    readonly bank?: string | undefined;
  };
  readonly debitFrom?: AccountReference;
  readonly creditTo?: AccountReference;
  readonly creditCard?: {
    readonly bin?: string | undefined;
    readonly hash?: string | undefined;
    readonly last4Digits?: string | undefined;
    readonly token?: string | undefined;
  };
}

interface AccountReference {
  readonly account?: string | undefined;
  readonly bank?: string | undefined;
  readonly currency?: string | undefined;
}

/** What an outcome is about: an event by its id, an operation by the bank's own names, or an action by its `webhook-id`. */
type OutcomeAddress =
  | { readonly event: string; readonly user?: string | undefined; readonly webhookId?: string | undefined }
  | {
      readonly user: string;
      /** `transaction.reference` of the operation. */
      readonly reference: string;
    }
  | { readonly webhookId: string; readonly user?: string | undefined };

interface OutcomeMembers {
  readonly channelId: number;
  /** When it happened, ISO 8601; without a zone, the workspace's zone applies. */
  readonly timestamp?: string | undefined;
  /** The type of fraud, such as `accountTakeover`. */
  readonly type?: string | undefined;
  /** What the bank lost, and what came back; both replace the values reported before. */
  readonly loss?: Amount | undefined;
  readonly recovered?: Amount | undefined;
  readonly currency?: string | undefined;
  /** For people. */
  readonly note?: string | undefined;
}

/**
 * `POST .../outcome`: what happened to an event on the bank's side. By default a license key may report the results of
 * step-ups, what the bank did with the payment, and refunds; the service refuses the rest unless the workspace permits it.
 */
export type OutcomeReport = OutcomeMembers &
  (
    | {
        readonly outcome: 'stepUpPassed' | 'stepUpFailed' | 'stepUpAbandoned';
        /** The `webhook-id` of the action that asked for the step-up. */
        readonly webhookId: string;
        readonly event?: string | undefined;
        readonly user?: string | undefined;
        /** How it was done, such as `passkey`. */
        readonly method?: string | undefined;
      }
    | (OutcomeAddress & {
        readonly outcome:
          | 'executed'
          | 'cancelled'
          | 'released'
          | 'rejected'
          | 'unblocked'
          | 'fraud'
          | 'legitimate'
          | 'refund'
          | 'retracted';
      })
    | (OutcomeAddress & {
        readonly outcome: 'chargeback';
        /** Reason code, as the card scheme writes it. */
        readonly code?: string | undefined;
        readonly stage?: 'opened' | 'won' | 'lost' | undefined;
      })
  );

/** An event, or the report of an outcome, with its kind, as `onDrop` receives it. */
export type RingfenceEvent =
  | { readonly kind: 'login'; readonly event: LoginEvent }
  | { readonly kind: 'logout'; readonly event: LogoutEvent }
  | { readonly kind: 'operation'; readonly event: OperationEvent }
  | { readonly kind: 'outcome'; readonly event: OutcomeReport };

export type EventKind = RingfenceEvent['kind'];
