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
  /** What the device SDK gave; "" when it failed. */
  readonly device: string;
}

export interface Operation {
  readonly user: string;
  readonly session: string;
  readonly channelId: number;
  readonly category: string;
  readonly reference: string;
  /** When the customer pressed the button, ISO 8601 with zone. */
  readonly at: string;
  /** Decimal digits: an amount is never a double. Absent for what moves no money. */
  readonly amount: string | undefined;
  readonly payee: { readonly bank: string; readonly account: string } | undefined;
}

const currency = 'MXN';

/** Actions from 6 on mean what the bank and its analysts agreed on: here, what the starter policy calls them. */
export const customActions = { confirm: 6, holdPayment: 7 } as const;

/** Whether the bank did what its customer, or a thief, asked for. */
export type Outcome = 'done' | 'refused';

/** What the bank needs of `Ringfence`: it reports, and waits for no decision. */
export interface Reporting {
  readonly login: (event: LoginEvent) => void;
  readonly logout: (event: LogoutEvent) => void;
  readonly operation: (event: OperationEvent, options?: SendOptions) => void;
}

/**
 * A small bank's backend: how a bank reports to Ringfence and does what it is asked to.
 *
 * Everything is reported first and decided by the bank's own rules after: what a thief tries and does not get is worth
 * knowing too. None of the calls to `ringfence` waits or throws, so that they stand in the middle of the bank's work.
 */
export class Bank {
  readonly #ringfence: Reporting;
  readonly #pepper: string;
  /** Webhooks name a user by hash: computed once per user, as a bank would keep it beside the user's record. */
  readonly #userByHash = new Map<string, string>();
  readonly #openSessions = new Set<string>();
  /** Closed because Ringfence asked for it. */
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

  /** Whether somebody is logged in with this session. */
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
      // The reference is the bank's own name of the operation: sent again by whoever, it is the same event.
      { idempotencyKey: reference },
    );
    return this.#blockedUsers.has(user) || this.#closedSessions.has(session) ? 'refused' : 'done';
  }

  /** Does what Ringfence asks for. Called once per action, however often it is sent. */
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

  /** Whom an action speaks of; `undefined` for somebody this bank has never seen. */
  userOf(action: ReceivedAction): string | undefined {
    return this.#userByHash.get(action.client);
  }

  /** Makes a user known, so that a webhook's hash can be told to be theirs. */
  enrol(user: string): void {
    this.#userByHash.set(hashClient(user, this.#pepper), user);
  }
}
