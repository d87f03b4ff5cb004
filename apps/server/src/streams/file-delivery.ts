/**
 * Writes facts to files by the clock. A file holds consecutive facts of one day:
 *
 *     decisions/workspace=acme-production/date=2026-11-29/part-000000000100-000000000199.parquet
 *
 * The cursor notes where a file will end before it is published, and moves after. A file that is written again after a
 * crash has the same name and the same facts, so each fact is in one file.
 */
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dayMs } from '@ringfence/contract';
import { randomId } from '../platform/secrets/random-id.ts';
import type { Delivery, Delivering, PartFile } from './delivery.ts';
import type { Fact } from './fact.ts';
import { ndjsonFile } from './ndjson-file.ts';
import { parquetFile } from './parquet-file.ts';
import { type Cursor, moveCursor, planPart } from './stream-cursors.ts';
import type { FileFormat } from './stream-settings.ts';

/** The messages of one file, as JSON. */
const fileBytesMax = 128 * 2 ** 20;
const pageFacts = 500;
/** Files of one cursor before the others have their turn. */
const filesMax = 8;
/** Digits of a position in a name: names sort like positions. */
const digits = 12;

/** Where files are kept. */
export interface PartStore {
  /** A folder on this machine for files that are being written. */
  readonly workFolder: string;
  /** Makes a written file visible under its name, in place of an earlier one; resolves when it is durable. */
  publish(path: string, name: string, stop: AbortSignal): Promise<void>;
}

interface FileDeliveryOptions {
  readonly stream: string;
  readonly format: FileFormat;
  readonly everyMs: number;
  readonly store: PartStore;
  readonly now: () => number;
}

const extensions = { parquet: 'parquet', ndjson: 'ndjson.gz' } as const satisfies Record<FileFormat, string>;

export class FileDelivery implements Delivery {
  readonly #options: FileDeliveryOptions;
  #isClean = false;

  constructor(options: FileDeliveryOptions) {
    this.#options = options;
  }

  isDue(cursor: Cursor): boolean {
    return cursor.planned !== undefined || cursor.throughMs < this.#boundaryMs();
  }

  /** The last time at which files are written. */
  #boundaryMs(): number {
    const { now, everyMs } = this.#options;
    return Math.floor(now() / everyMs) * everyMs;
  }

  async deliver(delivering: Delivering): Promise<boolean> {
    await this.#clean();
    const boundaryMs = this.#boundaryMs();
    let { cursor } = delivering;
    for (let file = 0; file < filesMax; file++) {
      delivering.stop.throwIfAborted();
      const written = await this.#write({ ...delivering, cursor }, boundaryMs);
      const { end, sent, isLast } = written;
      const throughMs = isLast ? boundaryMs : written.lastAtMs;
      await moveCursor(delivering.pool, cursor, { position: end, throughMs, sent });
      if (isLast) return true;
      cursor = { ...cursor, position: end, planned: undefined };
    }
    return false;
  }

  reset(): Promise<void> {
    this.#isClean = false;
    return Promise.resolve();
  }

  /** Writes and publishes the next file; none if there are no facts for it. */
  async #write(delivering: Delivering, boundaryMs: number): Promise<Written> {
    const { format, stream, store } = this.#options;
    const { cursor, pool, stop } = delivering;
    const path = join(store.workFolder, `${workPrefix(stream)}${randomId(12)}.tmp`);
    const file = format === 'parquet' ? parquetFile(path, cursor.kind) : ndjsonFile(path);
    try {
      const written = await fill(file, delivering, boundaryMs);
      if (written.first === undefined) {
        await file.abandon();
        return written;
      }
      await file.finish();
      await planPart(pool, cursor, written.end);
      await store.publish(path, this.#nameOf(delivering, written.first, written.end), stop);
      return written;
    } catch (error) {
      await file.abandon();
      throw error;
    }
  }

  #nameOf({ cursor, workspace }: Delivering, first: Fact, end: number): string {
    const numbers = [cursor.position, end - 1].map((position) => String(position).padStart(digits, '0'));
    return [
      cursor.kind,
      ...(workspace === undefined ? [] : [`workspace=${workspace}`]),
      `date=${dateOf(first)}`,
      `part-${numbers.join('-')}.${extensions[this.#options.format]}`,
    ].join('/');
  }

  /** Removes what a process that was killed has left. */
  async #clean(): Promise<void> {
    if (this.#isClean) return;
    const { store, stream, now } = this.#options;
    await mkdir(store.workFolder, { recursive: true });
    for (const name of await readdir(store.workFolder)) {
      if (!name.startsWith(workPrefix(stream)) || !name.endsWith('.tmp')) continue;
      const path = join(store.workFolder, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now() }));
      if (mtimeMs < now() - dayMs) await rm(path, { force: true });
    }
    this.#isClean = true;
  }
}

function workPrefix(stream: string): string {
  return `.ringfence-${stream}-`;
}

interface Written {
  /** `undefined`: there is nothing to publish. */
  readonly first: Fact | undefined;
  readonly lastAtMs: number;
  readonly sent: number;
  /** The position behind what the file holds. */
  readonly end: number;
  /** Whether nothing is left until the boundary. */
  readonly isLast: boolean;
}

/** Adds the facts from the cursor on, up to where the file ends: see `endsBefore`. */
async function fill(file: PartFile, { cursor, read, mask, stop }: Delivering, boundaryMs: number): Promise<Written> {
  let first: Fact | undefined;
  let [bytes, sent, lastAtMs, from] = [0, 0, cursor.throughMs, cursor.position];
  for (;;) {
    stop.throwIfAborted();
    const { facts, next, isMore } = await read(from, pageFacts);
    for (const fact of facts) {
      if (endsBefore(fact, { cursor, first, bytes, boundaryMs })) {
        const isLast = cursor.planned === undefined && fact.atMs >= boundaryMs;
        return { first, lastAtMs, sent, end: cursor.planned ?? fact.position, isLast };
      }
      first ??= fact;
      const message = mask(fact.message);
      const json = JSON.stringify(message);
      await file.add(message, json);
      bytes += Buffer.byteLength(json);
      sent++;
      lastAtMs = fact.atMs;
    }
    from = next;
    const isWhole = cursor.planned !== undefined && next >= cursor.planned;
    if (!isMore || isWhole) {
      return { first, lastAtMs, sent, end: cursor.planned ?? next, isLast: cursor.planned === undefined };
    }
  }
}

/** Whether a file ends before this fact. A file that was planned ends where it was planned, and nowhere else. */
function endsBefore(
  fact: Fact,
  {
    cursor,
    first,
    bytes,
    boundaryMs,
  }: {
    readonly cursor: Cursor;
    readonly first: Fact | undefined;
    readonly bytes: number;
    readonly boundaryMs: number;
  },
): boolean {
  if (cursor.planned !== undefined) return fact.position >= cursor.planned;
  if (fact.atMs >= boundaryMs) return true;
  return first !== undefined && (bytes >= fileBytesMax || dateOf(first) !== dateOf(fact));
}

function dateOf({ atMs }: Fact): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** Files in a folder, which may be a mounted one: renamed into their place when they are on the disk. */
export function folderStore(folder: string): PartStore {
  return {
    workFolder: folder,
    async publish(path, name) {
      const target = join(folder, name);
      await mkdir(dirname(target), { recursive: true });
      await rename(path, target);
      await flushFolder(dirname(target));
    },
  };
}

/** A rename survives a power cut once its folder is flushed. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
