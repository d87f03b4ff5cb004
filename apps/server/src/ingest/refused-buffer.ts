import { hourMs, minuteMs } from '@ringfence/contract';
import type { RefusedRequest } from './refused-request.ts';

/** Of one workspace, code and minute, so many requests are kept one by one; all are counted. Enough to see what is wrong. */
const samplesOfMinuteMax = 30;
/** Requests that wait to be written, of all workspaces: about 500 KB. */
const samplesMax = 1_000;
/** Different counts of one writing: workspaces x hours x codes x paths; beyond it, something else is broken. */
const countsMax = 5_000;

export interface RefusedCount {
  readonly workspaceId: string;
  readonly hourMs: number;
  readonly code: string;
  readonly path: string;
  requests: number;
}

export interface RefusedBatch {
  readonly samples: readonly RefusedRequest[];
  readonly counts: readonly RefusedCount[];
}

/** Notes refused requests in memory, within bounds, however many there are. */
export class RefusedBuffer {
  #samples: RefusedRequest[] = [];
  #counts = new Map<string, RefusedCount>();
  /** Samples of the minute that runs, by workspace and code. */
  #taken = new Map<string, number>();
  #minute = 0;

  note(refused: RefusedRequest): void {
    this.#count({
      workspaceId: refused.workspaceId ?? '',
      hourMs: refused.atMs - (refused.atMs % hourMs),
      code: refused.code,
      path: refused.path,
      requests: 1,
    });
    if (this.#samples.length < samplesMax && this.#mayKeep(refused)) this.#samples.push(refused);
  }

  /** What came since the last call. */
  take(): RefusedBatch {
    const batch = { samples: this.#samples, counts: [...this.#counts.values()] };
    this.#samples = [];
    this.#counts = new Map();
    return batch;
  }

  /** Takes the counts of a batch back that could not be written. Its samples are given up. */
  putBack(batch: RefusedBatch): void {
    for (const count of batch.counts) this.#count(count);
  }

  #count(added: RefusedCount): void {
    const key = `${added.workspaceId} ${added.hourMs} ${added.code} ${added.path}`;
    const count = this.#counts.get(key);
    if (count !== undefined) count.requests += added.requests;
    else if (this.#counts.size < countsMax) this.#counts.set(key, { ...added });
  }

  #mayKeep(refused: RefusedRequest): boolean {
    const minute = Math.floor(refused.atMs / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken.clear();
    }
    const key = `${refused.workspaceId ?? ''} ${refused.code}`;
    const taken = this.#taken.get(key) ?? 0;
    this.#taken.set(key, taken + 1);
    return taken < samplesOfMinuteMax;
  }
}
