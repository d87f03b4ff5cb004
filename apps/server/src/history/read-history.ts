import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type BlockEvent, SealedBlock } from './block.ts';
import type { Segment } from './segments.ts';

export interface HistoryDeps {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** Events yielded together. */
const chunkEvents = 4_096;

/**
 * The events of a segment in time order; those of the same instant in the order of their files and lines. Each block is
 * opened when reading reaches its time, so that few are in memory.
 *
 * @throws Problem `state.conflict` when the segment is removed meanwhile
 */
export async function* readHistory(
  deps: HistoryDeps,
  workspace: Workspace,
  segment: Pick<Segment, 'id' | 'name'>,
): AsyncGenerator<readonly BlockEvent[]> {
  const blocks = new BlockQueue(deps, workspace, segment);
  await blocks.begin();
  const open: OpenBlock[] = [];
  let chunk: BlockEvent[] = [];
  for (;;) {
    // Afterwards every block that could contain the next event is open.
    while (blocks.nextMs <= (open.length === 0 ? Infinity : earliest(open).head.atMs) && blocks.hasMore) {
      const opened = await blocks.take();
      if (opened !== undefined) open.push(opened);
    }
    if (open.length === 0) break;
    const from = earliest(open);
    chunk.push(from.head);
    const next = from.events.next();
    if (next.done === true) open.splice(open.indexOf(from), 1);
    else from.head = next.value;
    if (chunk.length < chunkEvents) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** A block that is being read. */
interface OpenBlock {
  readonly number: number;
  readonly events: Generator<BlockEvent>;
  head: BlockEvent;
}

/** The block with the earliest next event; at the same instant the block that was written first. */
function earliest(open: readonly OpenBlock[]): OpenBlock {
  let first = open[0]!;
  for (const block of open) {
    const isBefore = block.head.atMs - first.head.atMs || block.number - first.number;
    if (isBefore < 0) first = block;
  }
  return first;
}

interface ListedBlock {
  readonly number: number;
  readonly from_ms: number;
}

/**
 * The blocks of a segment in the order of their start, each prefetched from the database while its predecessor is used.
 */
class BlockQueue {
  readonly #deps: HistoryDeps;
  readonly #workspace: Workspace;
  readonly #segment: Pick<Segment, 'id' | 'name'>;
  #listed: readonly ListedBlock[] = [];
  #taken = 0;
  #ahead: Promise<OpenBlock | undefined> | undefined;

  constructor(deps: HistoryDeps, workspace: Workspace, segment: Pick<Segment, 'id' | 'name'>) {
    this.#deps = deps;
    this.#workspace = workspace;
    this.#segment = segment;
  }

  async begin(): Promise<void> {
    const found = await this.#deps.pool.query<ListedBlock>(
      `select b.number, b.from_ms from history_block b join history_segment s on s.id = b.segment_id
        where s.id = $1 and s.workspace_id = $2 and s.state = 'complete' order by b.from_ms, b.number`,
      [this.#segment.id, this.#workspace.id],
    );
    if (found.rows.length === 0) throw this.#removed();
    this.#listed = found.rows;
  }

  get hasMore(): boolean {
    return this.#taken < this.#listed.length;
  }

  /** When the next block begins; infinite when there is none. */
  get nextMs(): number {
    return this.#listed[this.#taken]?.from_ms ?? Infinity;
  }

  /** `undefined` for a block without events. */
  async take(): Promise<OpenBlock | undefined> {
    const block = await (this.#ahead ?? this.#read(this.#taken));
    this.#taken += 1;
    this.#ahead = this.hasMore ? this.#read(this.#taken) : undefined;
    // A failure is reported when it is awaited; until then it must not count as an unhandled rejection.
    this.#ahead?.catch(() => undefined);
    return block;
  }

  async #read(place: number): Promise<OpenBlock | undefined> {
    const { number } = this.#listed[place]!;
    const { pool, subjects } = this.#deps;
    const { rows } = await pool.query<{ content: Buffer }>(
      `select content from history_block where segment_id = $1 and number = $2`,
      [this.#segment.id, number],
    );
    if (rows[0] === undefined) throw this.#removed();
    const sealed = new SealedBlock(
      { workspace: this.#workspace, segmentId: this.#segment.id, number },
      rows[0].content,
    );
    const events = sealed.open(await subjects.bySubject(this.#workspace, sealed.subjects));
    const first = events.next();
    return first.done === true ? undefined : { number, events, head: first.value };
  }

  #removed(): Problem {
    return new Problem('state.conflict', `The history "${this.#segment.name}" was removed meanwhile.`);
  }
}
