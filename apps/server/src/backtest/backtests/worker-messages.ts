import type { PolicyFile } from '@ringfence/policy';
import type { BacktestWorkerOptions } from './backtest-worker.ts';
import type { WorkerReport, WorkerStart } from './worker-report.ts';

/** The settings of a backtest worker's thread. */
export interface WorkerSettings extends Omit<BacktestWorkerOptions, 'policy' | 'onFired'> {
  readonly files: readonly PolicyFile[];
  /** Rules in shadow that run as if live. */
  readonly asLive: readonly number[];
}

export type ToWorker =
  | { readonly kind: 'begin'; readonly start: WorkerStart }
  | { readonly kind: 'batch'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

export type FromWorker =
  /** One for each batch, in order. */
  | { readonly kind: 'report'; readonly report: WorkerReport }
  | { readonly kind: 'ended'; readonly missing: ReadonlyMap<number, number> };
