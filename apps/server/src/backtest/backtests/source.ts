import type { EngineSettings, ListChange } from '@ringfence/engine';
import type { PackedBatch } from '../../history/record-codec.ts';

/** The events for a backtest. */
export interface BacktestSource {
  /** Records in total, for progress. */
  readonly total: number;
  /** In force before the first record, if the source contains no record of them. */
  readonly settings: EngineSettings | undefined;
  /** Contents of live lists before the first record; omitted for none. */
  readonly lists?: readonly ListChange[];
  /**
   * Packed records in order, some thousand per batch, always batched the same way. Without records that do not concern
   * the tested policy (the policies of a log).
   */
  batches(): AsyncGenerator<PackedBatch>;
  /**
   * Labels next to the events are passed to features immediately: these count only what is older than their delay.
   * False if the source has its own label records.
   */
  readonly labelsAtOnce: boolean;
  /** Remarks for the reader of the result; complete when all batches were read. */
  notes(): readonly string[];
}
