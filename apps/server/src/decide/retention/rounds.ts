import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { LineLogger } from '../../platform/observability/thread-logger.ts';

/** How a round ended. `more`: some expired data is still there; `elsewhere`: another process removes data. */
export type RoundEnd = 'done' | 'more' | 'elsewhere';

/** After a start: a process that has just started has other work, and one that restarts again and again only that. */
const firstMs = 10 * secondMs;
const waitMsAfter: Readonly<Record<RoundEnd | 'failed', number>> = {
  more: secondMs,
  done: hourMs,
  // Readers of the whole log may overlap, so a short gap between them must be enough.
  elsewhere: minuteMs,
  failed: hourMs,
};

export interface RoundsDeps {
  readonly round: (stop: AbortSignal) => Promise<RoundEnd>;
  /** Resolves after `ms`, or when stopped. */
  readonly wait: (ms: number, stop: AbortSignal) => Promise<void>;
  readonly logger: Pick<LineLogger, 'error'>;
}

/** Runs rounds of retention until `stop`. */
export async function runRounds({ round, wait, logger }: RoundsDeps, stop: AbortSignal): Promise<void> {
  let waitMs = firstMs;
  for (;;) {
    await wait(waitMs, stop);
    if (stop.aborted) return;
    try {
      waitMs = waitMsAfter[await round(stop)];
    } catch (error) {
      if (!stop.aborted) logger.error({ err: error }, 'a round of retention failed and will be retried');
      waitMs = waitMsAfter.failed;
    }
  }
}
