import { Problem } from '@ringfence/contract';

/** Reasons why a log-in with OpenID failed; the log-in page translates them. */
const details = {
  late: 'The log-in took too long, or began at another address of the console. Begin again.',
  unconfirmed: 'The provider did not confirm the log-in.',
  noEmail: 'The provider returned no verified e-mail address: request the scope `email`, or see `trustEmail`.',
  unreachable: 'The provider cannot be reached.',
  nothingGranted: 'The provider grants no role here: ask an administrator for one.',
  disabled: 'The account is disabled.',
  full: 'The maximum number of accounts is reached.',
  taken: 'The e-mail address belongs to another account here.',
  failed: 'The log-in could not be finished. The log of the service has the details.',
  tooOften: 'Too many failed log-ins from this address. Wait a minute.',
} as const;
export type OpenIdReason = keyof typeof details;

/** A person confirmed by the provider, even if the log-in was refused. */
export interface Confirmed {
  readonly issuer: string;
  readonly subject: string;
  /** The name of the account, or the address verified by the provider; `undefined`: unknown. */
  readonly email: string | undefined;
}

/**
 * A log-in with OpenID that failed. Its reason is passed in a URL, which anyone can forge, so it is one of the known
 * words and never a text to display.
 */
export class OpenIdRefusal extends Problem {
  readonly reason: OpenIdReason;
  /** `undefined`: the provider confirmed no one. */
  readonly who: Confirmed | undefined;

  constructor(reason: OpenIdReason, of: { readonly cause?: unknown; readonly who?: Confirmed | undefined } = {}) {
    super('openId.failed', details[reason], { cause: of.cause });
    this.reason = reason;
    this.who = of.who;
  }
}
