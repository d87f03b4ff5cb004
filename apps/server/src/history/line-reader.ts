import { TextDecoder } from 'node:util';
import { type RawRecord, recordBytesMax } from '@ringfence/contract';
import type { Damage } from './damage.ts';
import type { Mapping } from './mapping/mapping.ts';
import type { RowSource } from './reading/row-source.ts';
import { type HistoryEvent, type RowRefusal, RowReader, type RowRules } from './row-reader.ts';

/** Is told of a cell that looks damaged. */
type OnDamage = (found: Omit<Damage, 'file' | 'lines' | 'firstLine'>, line: number) => void;

/** Converts the records of one file to events. */
export class LineReader {
  readonly #decoder: TextDecoder;
  readonly #source: RowSource;
  readonly #reader: RowReader;

  readonly #damage: OnDamage;

  constructor(
    mapping: Mapping,
    source: RowSource,
    { rules, damage }: { readonly rules: RowRules; readonly damage: OnDamage },
  ) {
    this.#damage = damage;
    this.#decoder = new TextDecoder(mapping.encoding, { fatal: true });
    this.#source = source;
    this.#reader = new RowReader(mapping, rules);
  }

  get awaitsNames(): boolean {
    return this.#source.awaitsNames;
  }

  /** Rows whose time clocks showed twice, because they went back. */
  get twice(): number {
    return this.#reader.twice;
  }

  /** Columns of the mapping that had a value in no line. */
  get absent(): readonly string[] {
    return this.#reader.absent;
  }

  get unread(): readonly string[] {
    return this.#source.unread;
  }

  /** `undefined` for a record that is not a row. */
  read({ bytes, line }: RawRecord): HistoryEvent | readonly RowRefusal[] | undefined {
    if (bytes === undefined) return tooLong;
    const text = this.#decode(bytes);
    if (text === undefined) return notText;
    const cells = this.#source.read(text);
    if (cells === undefined) return undefined;
    if (typeof cells === 'string') return [{ member: '', reason: cells }];
    const clean = this.#reader.clean(cells);
    const event = this.#reader.read(clean);
    if (!Array.isArray(event)) for (const found of this.#reader.damaged(clean)) this.#damage(found, line);
    return event;
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
