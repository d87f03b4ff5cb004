import { TextDecoder } from 'node:util';
import { type RawRecord, recordBytesMax } from '@ringfence/contract';
import type { Mapping } from './mapping/mapping.ts';
import type { RowSource } from './reading/row-source.ts';
import { type HistoryEvent, type RowRefusal, RowReader, type RowRules } from './row-reader.ts';

/** Converts the records of one file to events. */
export class LineReader {
  readonly #decoder: TextDecoder;
  readonly #source: RowSource;
  readonly #reader: RowReader;

  constructor(mapping: Mapping, source: RowSource, rules: RowRules) {
    this.#decoder = new TextDecoder(mapping.encoding, { fatal: true });
    this.#source = source;
    this.#reader = new RowReader(mapping, rules);
  }

  get awaitsNames(): boolean {
    return this.#source.awaitsNames;
  }

  get unread(): readonly string[] {
    return this.#source.unread;
  }

  /** `undefined` for a record that is not a row. */
  read({ bytes }: RawRecord): HistoryEvent | readonly RowRefusal[] | undefined {
    if (bytes === undefined) return tooLong;
    const text = this.#decode(bytes);
    if (text === undefined) return notText;
    const cells = this.#source.read(text);
    if (cells === undefined) return undefined;
    return typeof cells === 'string' ? [{ member: '', reason: cells }] : this.#reader.read(cells);
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

const tooLong: readonly RowRefusal[] = [
  { member: '', reason: `The line is longer than ${recordBytesMax / 1_024} KiB.` },
];
const notText: readonly RowRefusal[] = [{ member: '', reason: 'The line is not text in the encoding of the mapping.' }];
