import { Problem } from '@ringfence/contract';

/** Why a log-in by OpenID failed, for the page of the log-in, which says it in the words of its language. */
const details = {
  late: 'The log-in took too long, or began at another address of the console. Begin again.',
  unconfirmed: 'The provider did not confirm the log-in.',
  noEmail: 'The provider says no e-mail address that it has verified: ask for the scope `email`, or see `trustEmail`.',
  unreachable: 'The provider cannot be reached.',
  nothingGranted: 'The provider grants nothing here: ask an administrator for a role.',
  disabled: 'The account is disabled.',
  full: 'There are as many accounts here as there may be.',
  taken: 'The e-mail address belongs to another account here.',
  failed: 'The log-in could not be finished here. The log of the service has more.',
  tooOften: 'Too many log-ins from this address failed. Wait a minute.',
} as const;
export type OpenIdReason = keyof typeof details;

/** Whom the provider has confirmed, whatever became of the log-in. */
export interface Confirmed {
  readonly issuer: string;
  readonly subject: string;
  /** As the account is named, or the address that the provider has verified; `undefined`: there is none. */
  readonly email: string | undefined;
}

/**
 * A log-in by OpenID that failed. Its reason goes into an address, which anybody can write: so it is a word that is
 * known, and never a text that a page would show.
 */
export class OpenIdRefusal extends Problem {
  readonly reason: OpenIdReason;
  /** `undefined`: nobody was confirmed. */
  readonly who: Confirmed | undefined;

  constructor(reason: OpenIdReason, of: { readonly cause?: unknown; readonly who?: Confirmed | undefined } = {}) {
    super('openId.failed', details[reason], { cause: of.cause });
    this.reason = reason;
    this.who = of.who;
  }
}
