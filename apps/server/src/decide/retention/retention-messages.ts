import type { FromWorker, ThreadSettings } from '../messages.ts';
import type { RoundEnd } from './rounds.ts';

/** What the thread of a round gets as its `workerData`. */
export type RoundSettings = Pick<ThreadSettings, 'database' | 'master'>;

/** To the thread of a round: the only message. */
export interface StopRound {
  readonly kind: 'stop';
}

/** From the thread of a round: what the deciding thread passes on, and the result. */
export type FromRound =
  | Extract<FromWorker, { readonly kind: 'log' | 'removed' }>
  | { readonly kind: 'ended'; readonly end: RoundEnd };
