import { totalmem } from 'node:os';
import { sessionGraceMsMax } from '@ringfence/engine/limits';
import type { BacktestPlan, TriedPolicy } from './backtest-plan.ts';
import type { ScoreChoice } from './scored-event.ts';
import { WorkerHandle } from './worker-handle.ts';
import type { WorkerReport } from './worker-report.ts';

/** Of one batch, one for each policy. */
export type Reports = readonly WorkerReport[];

/** Concurrent batches: one is stepped, one waits, and a third is decrypted. */
const underWayMax = 3;
/** Share of the machine's memory for the states of all workers together. */
const memoryShare = 0.5;

/** What the workers count, and what the first one reports beside it. */
interface Counted extends Pick<BacktestPlan, 'fromMs' | 'toMs'> {
  readonly scores?: ScoreChoice | undefined;
  /** The model whose inputs it reports. */
  readonly trains?: string;
}

/** Works with one worker for each policy, and ends them. Decisions of the first are chained. */
export async function withLanes<Result>(
  { fromMs, toMs, scores, trains }: Counted,
  tried: readonly TriedPolicy[],
  work: (lanes: readonly WorkerHandle[]) => Promise<Result>,
): Promise<Result> {
  const memoryMb = Math.floor((totalmem() * memoryShare) / 2 ** 20 / tried.length);
  const lanes = tried.map(
    ({ files, version, asLive }, i) =>
      new WorkerHandle(
        {
          files,
          version,
          asLive,
          fromMs,
          toMs,
          isChained: i === 0,
          scores: i === 0 ? scores : undefined,
          trains: i === 0 ? trains : undefined,
        },
        memoryMb,
      ),
  );
  try {
    return await work(lanes);
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()));
  }
}

interface StreamHooks {
  readonly onReports: (reports: Reports) => void;
  /** Called after each batch; an error ends the stream. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Passes all records of the source to each worker, a few batches ahead of their reports. */
export async function streamThrough(
  { source, toMs }: Pick<BacktestPlan, 'source' | 'toMs'>,
  lanes: readonly WorkerHandle[],
  { onReports, onProgress }: StreamHooks,
): Promise<void> {
  const underWay: { readonly records: number; readonly reports: Promise<Reports> }[] = [];
  let processed = 0;
  const settle = async (): Promise<void> => {
    const { records, reports } = underWay.shift()!;
    onReports(await reports);
    processed += records;
    onProgress(processed, source.total);
  };
  let isBegun = false;
  for await (const { offset, logTimeMs, records, bytes } of source.batches()) {
    // An operation before the end may wait this long for its login, and be decided after it.
    if (logTimeMs >= toMs + sessionGraceMsMax) break;
    const { settings, lists, labelsAtOnce } = source;
    if (!isBegun) for (const lane of lanes) lane.begin({ offset, logTimeMs, settings, lists, labelsAtOnce });
    isBegun = true;
    const reports = Promise.all(lanes.map((lane) => lane.take(bytes)));
    reports.catch(() => undefined); // handled where it is awaited
    underWay.push({ records, reports });
    if (underWay.length >= underWayMax) await settle();
  }
  while (underWay.length > 0) await settle();
}
