import type { PolicyFile } from '@ringfence/policy';
import type { LaneOptions } from './backtest-worker.ts';
import type { LaneReport, LaneStart } from './worker-report.ts';

/** The settings of a backtest worker's thread. */
export interface LaneSettings extends Omit<LaneOptions, 'policy' | 'onFired'> {
  readonly files: readonly PolicyFile[];
}

export type ToLane =
  | { readonly kind: 'begin'; readonly start: LaneStart }
  | { readonly kind: 'batch'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

export type FromLane =
  /** One for each batch, in order. */
  | { readonly kind: 'report'; readonly report: LaneReport }
  | { readonly kind: 'ended'; readonly missing: ReadonlyMap<number, number> };
