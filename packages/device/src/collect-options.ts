import type { Profile, SignalSwitches } from './catalogue.ts';
import type { PublicJwk, PublicJwkSet } from './token/recipient.ts';

/** What the token is encrypted to: the workspace's public keys, as they are or as they will come. */
export type Keys = PublicJwkSet | PublicJwk;

export interface CollectOptions {
  /**
   * The public key or key set of the workspace; or a promise of it, or a function that is called for each token, where the
   * page fetches it from its own origin. A promise that failed once has failed for as long as the page is open.
   */
  readonly keys: Keys | PromiseLike<Keys> | (() => Keys | PromiseLike<Keys>);
  /** The digital channel, the same number as in the login. */
  readonly channelId: number;
  /** Default `essential`. */
  readonly profile?: Profile;
  /** Switches single signals on or off. */
  readonly signals?: SignalSwitches;
  /** Whether the browser is given an id that it keeps. Default true. */
  readonly remember?: boolean;
  /** Whether the id is also kept in a cookie, which goes to the bank with every request. Default false. */
  readonly cookie?: boolean;
  /** A worker that runs `@ringfence/device/worker`, for the signal `workerMismatch`. The page makes it and ends it. */
  readonly worker?: Worker;
  /** Learns why a token is empty, and which option is not understood. Left out: a warning in the console. */
  readonly onTrouble?: (error: unknown) => void;
}
