import { RecentTexts } from './recent-texts.ts';
import { repeatBodiesMax, repeatReachMs, repeatsPerBodyMax } from '../limits.ts';

/** A body that was applied: the last time, and times before it. */
export interface Applied {
  /** Of the last event that was applied with this body. */
  readonly offset: number;
  readonly atMs: number;
  /** Times of the ones before, oldest first. */
  readonly earlierMs: readonly number[];
}

const noTimes: readonly number[] = [];

/**
 * Bodies that a client sent within the last 24 h, by digest, the longest unused first. Retries are found by it, and
 * what is applied although it was sent before is counted. Log time never falls, so the oldest stand at the front.
 */
export class RepeatMemory {
  readonly #bodies = new RecentTexts<Applied>();
  /** No body here was applied before this instant, so that there is nothing to forget until a day after it. */
  #sinceMs = 0;

  get size(): number {
    return this.#bodies.size;
  }

  /** All that it remembers, the longest unused first. */
  bodies(): Iterable<readonly [body: string, applied: Applied]> {
    return this.#bodies.entries();
  }

  /** The event of the last 24 h with this body. */
  find(body: string, nowMs: number): Applied | undefined {
    const applied = this.#bodies.get(body);
    return applied !== undefined && isRecent(applied.atMs, nowMs) ? applied : undefined;
  }

  /** An event was applied; `before` is what `find` gave for its body. */
  note(body: string, event: { readonly offset: number; readonly nowMs: number }, before: Applied | undefined): void {
    const { offset, nowMs } = event;
    if (before !== undefined) this.#bodies.delete(body);
    if (!isRecent(this.#sinceMs, nowMs) || this.#bodies.size >= repeatBodiesMax) this.#forget(nowMs);
    const earlierMs =
      before === undefined ? noTimes : [...recent(before, nowMs), before.atMs].slice(-repeatsPerBodyMax);
    this.#bodies.set(body, { offset, atMs: nowMs, earlierMs });
  }

  #forget(nowMs: number): void {
    this.#sinceMs = nowMs;
    for (let oldest = this.#bodies.oldest(); oldest !== undefined; oldest = this.#bodies.oldest()) {
      const [body, { atMs }] = oldest;
      if (isRecent(atMs, nowMs) && this.#bodies.size < repeatBodiesMax) {
        this.#sinceMs = atMs;
        return;
      }
      this.#bodies.delete(body);
    }
  }

  /** A body as it was kept, later than all that are here. */
  restore(body: string, applied: Applied): void {
    this.#bodies.set(body, applied);
  }
}

/** How many events with this body were applied in the last 24 h; `applied` is what `find` gave for it. */
export function repeatsOf(applied: Applied | undefined, nowMs: number): number {
  return applied === undefined ? 0 : 1 + recent(applied, nowMs).length;
}

function recent({ earlierMs }: Applied, nowMs: number): readonly number[] {
  return earlierMs.length === 0 ? earlierMs : earlierMs.filter((atMs) => isRecent(atMs, nowMs));
}

function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < repeatReachMs;
}
