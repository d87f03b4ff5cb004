import { assert } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import type { SubjectKey, SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { sealBlock } from './block.ts';
import { mostOverlapping, type Overlap, type TimeSpan } from './overlap.ts';
import type { HistoryEvent } from './row-reader.ts';
import { addBlock } from './segments.ts';

/**
 * Events per block. Many, so that a client has several, which are unsealed together; few enough that a reader can hold
 * some blocks in memory: about 4 MB each.
 */
const blockEventsMax = 32_768;
/**
 * Blocks that may overlap in time at one instant, because a reader keeps them all in memory. Files in time order have
 * one or two.
 */
export const overlapMax = 32;

export interface BlockWriterDeps {
  readonly client: ClientBase;
  readonly subjects: Pick<SubjectKeys, 'ofClient'>;
  readonly workspace: Workspace;
  readonly segmentId: number;
}

/** Collects events into blocks; sorts each by time, seals it and stores it. */
export class BlockWriter {
  readonly #deps: BlockWriterDeps;
  readonly #ranges: TimeSpan[] = [];
  #waiting: HistoryEvent[] = [];

  constructor(deps: BlockWriterDeps) {
    this.#deps = deps;
  }

  /** Whether `flush` is due; `add` does not call it, so that adding stays synchronous. */
  get isFull(): boolean {
    return this.#waiting.length >= blockEventsMax;
  }

  add(event: HistoryEvent): void {
    this.#waiting.push(event);
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const events = this.#waiting.toSorted((a, b) => a.atMs - b.atMs);
    this.#waiting = [];
    const { client, workspace, segmentId } = this.#deps;
    const number = this.#ranges.length;
    const content = sealBlock({ workspace, segmentId, number }, events, await this.#keysOf(events));
    const range = { fromMs: events[0]!.atMs, toMs: events.at(-1)!.atMs };
    await addBlock(client, { segmentId, number, ...range, events: events.length, content });
    this.#ranges.push(range);
  }

  /** The largest number of blocks that share an instant, and one such instant. */
  overlap(): Overlap {
    return mostOverlapping(this.#ranges);
  }

  async #keysOf(events: readonly HistoryEvent[]): Promise<ReadonlyMap<string, SubjectKey>> {
    const { subjects, workspace } = this.#deps;
    const clients = new Set(events.flatMap(({ client }) => client ?? []));
    const asked = [...clients].map(async (client) => [client, await subjects.ofClient(workspace, client)] as const);
    const keys = new Map(await Promise.all(asked));
    assert(keys.size === clients.size, 'every client has a key');
    return keys;
  }
}
