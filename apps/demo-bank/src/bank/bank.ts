import {
  type AboutEvent,
  type ActionResult,
  actions,
  type EventStatus,
  hashClient,
  type LoginEvent,
  type LogoutEvent,
  type OperationEvent,
  type OutcomeReport,
  type ReceivedAction,
  type SendOptions,
  type StatusResult,
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

/**
 * Custom actions from 6 on: their meanings are agreed with the bank, here in the starter policy, and the last one in the
 * demo's own.
 */
export const customActions = {
  confirm: 6,
  holdPayment: 7,
  releasePayment: 8,
  rejectPayment: 9,
  confirmOnDevice: 10,
} as const;

/** Whether the bank carried out the operation. */
export type Outcome = 'done' | 'refused';

/** A payment that Ringfence asked to hold. */
interface HeldPayment {
  readonly user: string;
  readonly reference: string;
  readonly channelId: number;
  state: 'held' | 'executed' | 'cancelled';
}

/** A step-up that Ringfence asked for. */
interface AskedStepUp {
  readonly webhookId: string;
  readonly channelId: number;
}

/** The part of `Ringfence` that the bank uses: it reports events and does not wait for decisions. */
export interface Reporting {
  readonly login: (event: LoginEvent) => void;
  readonly logout: (event: LogoutEvent) => void;
  readonly operation: (event: OperationEvent, options?: SendOptions) => void;
  readonly outcome: (report: OutcomeReport, options?: SendOptions) => void;
  readonly status: (about: AboutEvent) => Promise<StatusResult<EventStatus>>;
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
  /** The channel of each payment, by its reference. */
  readonly #payments = new Map<string, number>();
  /** By the id of the action that asked to hold it: the action that ends the hold names it. */
  readonly #heldPayments = new Map<string, HeldPayment>();
  /** By user. */
  readonly #askedStepUps = new Map<string, AskedStepUp>();

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
    if (amount !== undefined) this.#payments.set(reference, channelId);
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

  /**
   * The user passed or failed the step-up that an action asked for; the result names that action.
   *
   * @returns whether the user was asked
   */
  confirm(user: string, { method, isPassed }: { readonly method: string; readonly isPassed: boolean }): boolean {
    const asked = this.#askedStepUps.get(user);
    if (asked === undefined) return false;
    this.#askedStepUps.delete(user);
    const outcome = isPassed ? 'stepUpPassed' : 'stepUpFailed';
    // The key makes a retry the same report.
    this.#ringfence.outcome({ ...asked, outcome, method }, { idempotencyKey: `${asked.webhookId}-${outcome}` });
    return true;
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
      case customActions.confirmOnDevice:
        if (user === undefined) return { executed: false, message: 'we have no such user' };
        this.#askedStepUps.set(user, { webhookId: action.id, channelId: action.channel });
        return { executed: true, message: 'user asked to confirm' };
      case customActions.holdPayment:
        return this.#hold(action, user);
      case customActions.releasePayment:
        return this.#endHold(action, 'executed');
      case customActions.rejectPayment:
        return this.#endHold(action, 'cancelled');
      default:
        return { executed: false, message: 'we know no such action' };
    }
  }

  /** The payment waits until an action comes that resolves this one. */
  #hold({ id, reference = '' }: ReceivedAction, user: string | undefined): ActionResult {
    const channelId = this.#payments.get(reference);
    if (user === undefined || channelId === undefined) return { executed: false, message: 'we have no such payment' };
    this.#heldPayments.set(id, { user, reference, channelId, state: 'held' });
    return { executed: true, message: `payment ${reference} held` };
  }

  /** Executes or cancels the held payment, and reports that. */
  #endHold({ resolves = '' }: ReceivedAction, outcome: 'executed' | 'cancelled'): ActionResult {
    const payment = this.#heldPayments.get(resolves);
    if (payment?.state !== 'held') return { executed: false, message: 'we hold no such payment' };
    payment.state = outcome;
    const { user, reference, channelId } = payment;
    this.#ringfence.outcome({ channelId, outcome, user, reference }, { idempotencyKey: `${reference}-${outcome}` });
    return { executed: true, message: `payment ${reference} ${outcome}` };
  }

  /**
   * Asks Ringfence about every payment that was ever held, as a bank does after an outage.
   *
   * @returns a sentence for each difference from the bank's own books
   */
  async reconcile(): Promise<readonly string[]> {
    const payments = [...this.#heldPayments.entries()];
    const differences = await Promise.all(
      payments.map(async ([webhookId, { user, reference, state }]) => {
        const answer = await this.#ringfence.status({ user, reference });
        const payment = `payment ${reference} of ${user} is ${state} at the bank`;
        if (!answer.found) return `${payment}, and its status is ${answer.why}: ${answer.detail}`;
        const executed = answer.status.actions.filter((action) => action.state === 'executed');
        if (!executed.some((action) => action.webhookId === webhookId))
          return `${payment}, and its status has no executed action ${webhookId}`;
        const ends = executed.map(({ action }) => endingStates[action]).filter((end) => end !== undefined);
        if (ends.join() === (state === 'held' ? '' : state)) return undefined;
        return `${payment}, and ${ends.join(' and ') || 'held'} by its status`;
      }),
    );
    return differences.filter((difference) => difference !== undefined);
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

/** What a payment is once the action that ends its hold was executed. */
const endingStates: Readonly<Partial<Record<number, HeldPayment['state']>>> = {
  [customActions.releasePayment]: 'executed',
  [customActions.rejectPayment]: 'cancelled',
};
