import type { Policy, PolicyFile } from '@ringfence/policy';
import type { ScoreChoice } from './scored-event.ts';
import type { BacktestSource } from './source.ts';

/** A policy that is tested, or compared with. */
export interface TriedPolicy {
  readonly files: readonly PolicyFile[];
  /** The same, compiled. */
  readonly policy: Policy;
  /** The version in its decisions. */
  readonly version: number;
  /** Its rules in shadow that run as if live. */
  readonly asLive: readonly number[];
}

export interface BacktestPlan {
  readonly source: BacktestSource;
  readonly candidate: TriedPolicy;
  readonly live: TriedPolicy | undefined;
  /** Only events from `fromMs` to before `toMs` are counted; earlier ones are decided too. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Asks for the candidate's scores. */
export interface ScoreHook {
  readonly choice: ScoreChoice;
  /** Called with the counted events of each batch, packed by `packScored`. An error ends the backtest. */
  readonly onScores: (packed: Uint8Array) => void;
}

export interface BacktestHooks {
  /** Called after each batch; an error ends the backtest. */
  readonly onProgress: (done: number, total: number) => void;
  /** Absent: scores are not collected. */
  readonly scores?: ScoreHook | undefined;
}
