import type { EngineSettings, ListChange } from '@ringfence/engine';
import type { PackedBatch } from '../../history/record-codec.ts';

/** What events a backtest goes through. */
export interface BacktestSource {
  /** Records in all, for progress. */
  readonly total: number;
  /** In force before the first record, where no record of the source says so. */
  readonly settings: EngineSettings | undefined;
  /** What live lists hold before the first record; left out: nothing. */
  readonly lists?: readonly ListChange[];
  /**
   * Records in their order, packed, some thousand at a time: the same pieces every time. Those that a policy has no
   * part in (the policies of a log) are left out.
   */
  batches(): AsyncGenerator<PackedBatch>;
  /**
   * Labels that stand beside the events are known to features at once: they only count what is older than their delay.
   * False where records of the source bring them.
   */
  readonly labelsAtOnce: boolean;
  /** What one should know of the result; complete when the batches are. */
  notes(): readonly string[];
}
