import type { EpochMs } from '@ringfence/contract';
import type { PostgresLog, StoredBlock } from '@ringfence/log';
import { Pool } from 'pg';
import { type DatabaseConnection, openEventLog } from '../event-log.ts';

/** Rows of which the frames are fetched together. */
const rowsMax = 200;
const newline = 10;
/** How COPY writes the column of the frames, the last one, where it has a place in Kafka instead. */
const placeMark = Buffer.from('\t\\\\xff', 'latin1');

/** Writes the whole bytes of blocks that are in Kafka, so that a backup needs nothing else. */
export class PlacedRows {
  readonly #connection: DatabaseConnection;
  readonly #open: typeof openEventLog;
  #log: PostgresLog | undefined;
  #pool: Pool | undefined;

  constructor(connection: DatabaseConnection, open = openEventLog) {
    this.#connection = connection;
    this.#open = open;
  }

  /**
   * What COPY writes of a range of the log, with the frames in the place of their places.
   *
   * @throws RecordsLostError, StoreUnavailableError
   */
  async *whole(number: number, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rows: Buffer[] = [];
    for await (const row of rowsOf(pieces)) {
      rows.push(row);
      if (rows.length < rowsMax) continue;
      yield await this.#withFrames(number, rows);
      rows = [];
    }
    if (rows.length > 0) yield await this.#withFrames(number, rows);
  }

  async close(): Promise<void> {
    await this.#log?.close();
    await this.#pool?.end();
  }

  async #withFrames(number: number, rows: readonly Buffer[]): Promise<Buffer> {
    if (!rows.some((row) => row.includes(placeMark))) return Buffer.concat(rows);
    const log = this.#openLog();
    const partition = await this.#partitionOf(number);
    const blocks = rows.map((row) => (row.includes(placeMark) ? blockOf(row) : undefined));
    const whole = await log.placed.withFrames(
      partition,
      blocks.filter((block) => block !== undefined),
    );
    const frames = whole.map((block) => block.frames).values();
    return Buffer.concat(
      rows.map((row, index) => {
        if (blocks[index] === undefined) return row;
        const text = row.subarray(0, row.lastIndexOf(placeMark)).toString('latin1');
        const hex = Buffer.from(frames.next().value!).toString('hex');
        return Buffer.from(`${text}\t\\\\x${hex}\n`, 'latin1');
      }),
    );
  }

  async #partitionOf(number: number): Promise<string> {
    this.#openLog();
    const { rows } = await this.#pool!.query<{ partition: string }>(
      `select partition from log_partition where number = $1`,
      [number],
    );
    return rows[0]!.partition;
  }

  #openLog(): PostgresLog {
    const { logTopic: _, ...database } = this.#connection;
    this.#pool ??= new Pool({ ...database, max: 2 });
    this.#log ??= this.#open({ connection: this.#connection, pool: this.#pool, clock: () => 0 as EpochMs });
    return this.#log;
  }
}

/** Complete lines. */
async function* rowsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = Buffer.alloc(0);
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      const row = piece.subarray(start, end + 1);
      yield left.length === 0 ? row : Buffer.concat([left, row]);
      left = Buffer.alloc(0);
      start = end + 1;
    }
    if (start < piece.length) left = Buffer.concat([left, piece.subarray(start)]);
  }
  if (left.length > 0) yield left;
}

/** A row of a range, in the order of the columns of `log_block`. */
function blockOf(row: Buffer): StoredBlock {
  const [firstOffset, epoch, logTimeMs, retryOf, frames] = row.toString('latin1').trimEnd().split('\t') as [
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    firstOffset: Number(firstOffset),
    epoch: Number(epoch),
    logTimeMs: Number(logTimeMs) as EpochMs,
    retryOf: retryOf === '\\N' ? undefined : Number(retryOf),
    frames: Buffer.from(frames.slice(3), 'hex'),
  };
}
