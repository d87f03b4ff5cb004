import {
  type ActionResult,
  actions,
  hashClient,
  type LoginEvent,
  type LogoutEvent,
  type OperationEvent,
  type ReceivedAction,
  type SendOptions,
} from '@ringfence/client';

export interface LogIn {
  readonly user: string;
  readonly session: string;
  readonly channelId: number;
  readonly ip: string;
  /** The token of the device SDK; "" if it failed. */
  readonly device: string;
}

export interface Operation {
  readonly user: string;
  readonly session: string;
  readonly channelId: number;
  readonly category: string;
  readonly reference: string;
  /** When the customer confirmed, ISO 8601 with zone. */
  readonly at: string;
  /** Decimal digits: an amount is never a double. Absent if no money moves. */
  readonly amount: string | undefined;
  readonly payee: { readonly bank: string; readonly account: string } | undefined;
}

const currency = 'MXN';

/** Custom actions from 6 on: their meanings are agreed with the bank, here in the starter policy. */
export const customActions = { confirm: 6, holdPayment: 7 } as const;

/** Whether the bank carried out the operation. */
export type Outcome = 'done' | 'refused';

/** The part of `Ringfence` that the bank uses: it reports events and does not wait for decisions. */
export interface Reporting {
  readonly login: (event: LoginEvent) => void;
  readonly logout: (event: LogoutEvent) => void;
  readonly operation: (event: OperationEvent, options?: SendOptions) => void;
}

/**
 * Backend of a small bank: how a bank reports to Ringfence and executes its actions.
 *
 * Every attempt is reported before the bank applies its own rules: failed attempts of a thief are worth knowing too.
 * Calls to `ringfence` neither wait nor throw, so they fit anywhere in the code of a bank.
 */
export class Bank {
  readonly #ringfence: Reporting;
  readonly #pepper: string;
  /** Webhooks identify a user by hash, computed once per user as a bank would store it with the user. */
  readonly #userByHash = new Map<string, string>();
  readonly #openSessions = new Set<string>();
  /** Sessions closed at the request of Ringfence. */
  readonly #closedSessions = new Set<string>();
  readonly #blockedUsers = new Set<string>();

  /** @param pepper of the workspace, in base64, as exported by the operator */
  constructor(ringfence: Reporting, pepper: string) {
    this.#ringfence = ringfence;
    this.#pepper = pepper;
  }

  logIn({ user, session, channelId, ip, device }: LogIn): Outcome {
    this.enrol(user);
    this.#ringfence.login({ channelId, user, session, publicIp: ip, data: device });
    if (this.#blockedUsers.has(user)) return 'refused';
    this.#openSessions.add(session);
    return 'done';
  }

  /** Whether the session is open. */
  isOpen(session: string): boolean {
    return this.#openSessions.has(session);
  }

  logOut(user: string, session: string, channelId: number): void {
    this.#openSessions.delete(session);
    this.#ringfence.logout({ channelId, user, session });
  }

  operate({ user, session, channelId, at, ...operation }: Operation): Outcome {
    this.enrol(user);
    const { category, reference, amount, payee } = operation;
    this.#ringfence.operation(
      {
        channelId,
        timestamp: at,
        transaction: { category, reference },
        account: { client: user, session },
        ...(amount === undefined ? {} : { order: { amount, currency } }),
        ...(payee === undefined ? {} : { accountTo: { bank: payee.bank, accountNumber: payee.account } }),
      },
      // The reference is the bank's id of the operation, so a retry is the same event.
      { idempotencyKey: reference },
    );
    return this.#blockedUsers.has(user) || this.#closedSessions.has(session) ? 'refused' : 'done';
  }

  /** Executes an action of Ringfence. Called once per action, however often it is delivered. */
  execute(action: ReceivedAction): ActionResult {
    if (action.isTest) return { executed: true, message: 'the test arrived' };
    const user = this.userOf(action);
    switch (action.action) {
      case actions.blockUser:
        if (user === undefined) return { executed: false, message: 'we have no such user' };
        this.#blockedUsers.add(user);
        return { executed: true, message: 'user blocked' };
      case actions.closeSession:
        this.#closedSessions.add(action.session);
        if (!this.#openSessions.delete(action.session)) return { executed: false, message: 'we have no such session' };
        return { executed: true, message: 'session closed' };
      case actions.sendEmail:
      case actions.sendSms:
      case actions.sendEmailAndSms:
        if (user === undefined) return { executed: false, message: 'we have no such user' };
        return { executed: true, message: 'message sent' };
      case customActions.confirm:
        return { executed: true, message: 'user asked to confirm' };
      case customActions.holdPayment:
        return { executed: true, message: 'payment held for a person' };
      default:
        return { executed: false, message: 'we know no such action' };
    }
  }

  /** The user of an action; `undefined` if unknown to this bank. */
  userOf(action: ReceivedAction): string | undefined {
    return this.#userByHash.get(action.client);
  }

  /** Registers a user, so that webhook hashes can be resolved. */
  enrol(user: string): void {
    this.#userByHash.set(hashClient(user, this.#pepper), user);
  }
}
