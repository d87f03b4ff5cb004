/**
 * A chain over the records of a workspace, as the engine read them. A link is SHA-256 of the link before it and of the
 * records between the two; there is one after every 64 records, and one at each checkpoint:
 *
 *   row    from |--- 64 ---|--- 64 ---| ... |-- some --| end       at most 2,048 records; the links at |
 *   rows   |---------|---------|---|-------|                       the last link of a row is the first of the next one
 *
 * Rows are signed (`chain-rows.ts`). A link needs nothing but the one before it and its records, so what retention left
 * is verified from the first whole group on.
 */
import { createHash, type Hash } from 'node:crypto';
import { assert } from '@ringfence/contract';
import { frameBytes, type LogRecord, writeFrame } from '@ringfence/log';

/** Records between two links: how near a changed record is named. Half a byte for each record. */
export const groupRecords = 64;
/** The last row is written again at each checkpoint, 1 KiB at most. */
const rowRecordsMax = 2_048;
export const linkBytes = 32;
/** Offset, epoch, log time and the record that is repeated. */
const headBytes = 32;

/** Before the first record of a chain. */
const firstLink = Buffer.alloc(linkBytes);

/** Consecutive records and the links between them. */
export interface ChainRow {
  readonly fromOffset: number;
  readonly endOffset: number;
  /** The one at `fromOffset`, one after every 64 records, and the one at `endOffset`. */
  readonly links: Buffer;
}

export class RecordChain {
  /** The first record of the chain. */
  readonly since: number;
  /** Rows that are full, since the last call of `take`. */
  readonly #full: ChainRow[] = [];
  #from: number;
  #end: number;
  #links: Buffer[];
  #link: Link;

  /** Continues a chain behind its last link, or begins one. */
  constructor(end: number, before?: { readonly since: number; readonly link: Buffer }) {
    this.since = before?.since ?? end;
    this.#from = end;
    this.#end = end;
    this.#links = [before?.link ?? firstLink];
    this.#link = new Link(this.#links[0]!);
  }

  /** Adds the records that follow. */
  add(records: readonly LogRecord[]): void {
    if (records.length === 0) return;
    assert(records[0]!.offset === this.#end, 'a record follows the one before it in the chain');
    for (let at = 0; at < records.length;) {
      const some = records.slice(at, at + groupRecords - ((this.#end - this.#from) % groupRecords));
      this.#link.add(some);
      this.#end += some.length;
      at += some.length;
      if ((this.#end - this.#from) % groupRecords === 0) this.#closeGroup();
    }
  }

  /** The rows that are new or longer since the last call. */
  take(): readonly ChainRow[] {
    const rows = this.#full.splice(0);
    if (this.#end === this.#from) return rows;
    const isWhole = (this.#end - this.#from) % groupRecords === 0;
    rows.push(this.#row(isWhole ? this.#links : [...this.#links, this.#link.value()]));
    return rows;
  }

  #closeGroup(): void {
    const link = this.#link.value();
    this.#links.push(link);
    this.#link = new Link(link);
    if (this.#end - this.#from < rowRecordsMax) return;
    this.#full.push(this.#row(this.#links));
    this.#from = this.#end;
    this.#links = [link];
  }

  #row(links: readonly Buffer[]): ChainRow {
    return { fromOffset: this.#from, endOffset: this.#end, links: Buffer.concat(links) };
  }
}

/** The link behind some records that follow another link. */
export function linkAfter(link: Uint8Array, records: readonly LogRecord[]): Buffer {
  const next = new Link(link);
  next.add(records);
  return next.value();
}

/** What is hashed at once; one buffer for all chains of a thread. */
let scratch = Buffer.alloc(64 * 1_024);

/** A link that is being made. */
class Link {
  readonly #hash: Hash;

  constructor(before: Uint8Array) {
    this.#hash = createHash('sha256').update(before);
  }

  add(records: readonly LogRecord[]): void {
    let used = 0;
    for (const record of records) {
      const bytes = headBytes + frameBytes(record);
      if (used + bytes > scratch.length) {
        this.#hash.update(scratch.subarray(0, used));
        used = 0;
      }
      if (bytes > scratch.length) scratch = Buffer.alloc(2 * bytes);
      used = writeRecord(scratch, used, record);
    }
    this.#hash.update(scratch.subarray(0, used));
  }

  value(): Buffer {
    return this.#hash.copy().digest();
  }
}

/** Writes all that a record is. Returns where it ends. */
function writeRecord(into: Buffer, start: number, record: LogRecord): number {
  let at = into.writeDoubleBE(record.offset, start);
  at = into.writeDoubleBE(record.epoch, at);
  at = into.writeDoubleBE(record.logTimeMs, at);
  at = into.writeDoubleBE(record.retryOf ?? -1, at);
  return writeFrame(into, at, record);
}
