import { hourMs, minuteMs } from '@ringfence/contract';
import type { RefusedRequest } from './refused-request.ts';

/** Samples kept per workspace, code and minute: enough to see what is wrong. All requests are counted. */
const samplesOfMinuteMax = 30;
/** Samples waiting to be written, over all workspaces: about 500 KB. */
const samplesMax = 1_000;
/**
 * Distinct counts per write: workspaces x hours x codes x paths. More than this means that something else is broken.
 */
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

/** Buffers refused requests in memory, within bounds whatever their number. */
export class RefusedBuffer {
  #samples: RefusedRequest[] = [];
  #counts = new Map<string, RefusedCount>();
  /** Samples of the current minute, by workspace and code. */
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

  /** Returns everything noted since the last call. */
  take(): RefusedBatch {
    const batch = { samples: this.#samples, counts: [...this.#counts.values()] };
    this.#samples = [];
    this.#counts = new Map();
    return batch;
  }

  /** Puts back the counts of a batch that could not be written. Its samples are dropped. */
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
