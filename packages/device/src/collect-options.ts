import type { Profile, SignalSwitches } from './catalogue.ts';
import type { PublicJwk, PublicJwkSet } from './token/recipient.ts';

/** The recipient of the token: the workspace's public keys, or a promise of them. */
export type Keys = PublicJwkSet | PublicJwk;

export interface CollectOptions {
  /**
   * The public key or key set of the workspace; or a promise of it, or a function that is called for each token, if the
   * page fetches it from its own origin. A promise that was rejected once stays rejected for as long as the page is
   * open.
   */
  readonly keys: Keys | PromiseLike<Keys> | (() => Keys | PromiseLike<Keys>);
  /** The digital channel, the same number as in the login. */
  readonly channelId: number;
  /** Default `essential`. */
  readonly profile?: Profile;
  /** Switches single signals on or off. */
  readonly signals?: SignalSwitches;
  /** Whether the browser stores an id. Default true. */
  readonly remember?: boolean;
  /** Whether the id is also stored in a cookie, which is sent to the bank with every request. Default false. */
  readonly cookie?: boolean;
  /**
   * A worker that runs `@ringfence/device/worker`, for the signal `workerMismatch`. The page creates and terminates it.
   */
  readonly worker?: Worker;
  /**
   * Called with the reason why a token is empty, or with an option that is not understood. If absent: a warning in the
   * console.
   */
  readonly onTrouble?: (error: unknown) => void;
}
