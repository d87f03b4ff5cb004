import { brotliDecompressSync } from 'node:zlib';
import { RangeTable } from './range-table.ts';
import { VarintReader } from './varint.ts';

/** A network's operator, by the number that routing knows it by. */
export interface Operator {
  readonly asn: number;
  readonly organisation: string;
}

/** What the table says of an address; a part that is not known is `undefined`. */
export interface WorldEntry {
  /** ISO 3166-1, two letters. */
  readonly country: string | undefined;
  readonly operator: Operator | undefined;
}

/** What stands at the head of a table's file. */
export interface WorldHead {
  readonly format: 1;
  /** Day of the data, `2026-06-17`. */
  readonly date: string;
  readonly attribution: string;
}

/** Countries and operators of all addresses: the file that `tools/network-table.ts` writes, in memory. */
export class WorldTable {
  readonly head: WorldHead;
  readonly #ipv4: RangeTable;
  /** Of the first 64 bits: nobody is given fewer addresses than they hold. */
  readonly #ipv6: RangeTable;
  readonly #entries: readonly WorldEntry[];

  constructor(
    head: WorldHead,
    tables: { readonly ipv4: RangeTable; readonly ipv6: RangeTable },
    entries: readonly WorldEntry[],
  ) {
    this.head = head;
    this.#ipv4 = tables.ipv4;
    this.#ipv6 = tables.ipv6;
    this.#entries = entries;
  }

  find(version: 4 | 6, words: readonly number[]): WorldEntry | undefined {
    const value = version === 4 ? this.#ipv4.at(words) : this.#ipv6.at(words);
    return value === 0 ? undefined : this.#entries[value - 1];
  }
}

const headEnd = 10;

/**
 * The file: its head as one line of JSON, then, compressed, countries, operators, pairs of these, and the stretches of
 * both versions. Takes some 100 ms.
 *
 * @throws Error for bytes that are no such file
 */
export function readWorld(bytes: Uint8Array): WorldTable {
  const end = bytes.indexOf(headEnd);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as WorldHead;
  const reader = new VarintReader(brotliDecompressSync(bytes.subarray(end + 1)));
  const countries = reader.list(() => reader.text());
  let asn = 0;
  const operators = reader.list((): Operator => ({ asn: (asn += reader.uint()), organisation: reader.text() }));
  const entries = reader.list((): WorldEntry => ({
    country: countries[reader.uint() - 1],
    operator: operators[reader.uint() - 1],
  }));
  return new WorldTable(head, { ipv4: readIpv4(reader), ipv6: readIpv6(reader) }, entries);
}

function readIpv4(reader: VarintReader): RangeTable {
  const count = reader.uint();
  const starts = new Uint32Array(count);
  const values = new Uint32Array(count);
  let start = 0;
  for (let at = 0; at < count; at++) {
    starts[at] = start += reader.uint();
    values[at] = reader.uint();
  }
  return new RangeTable(1, starts, values);
}

/** The first word as a step; the second as a step where the first is the same, else whole. */
function readIpv6(reader: VarintReader): RangeTable {
  const count = reader.uint();
  const starts = new Uint32Array(2 * count);
  const values = new Uint32Array(count);
  let [high, low] = [0, 0];
  for (let at = 0; at < count; at++) {
    const step = reader.uint();
    const rest = reader.uint();
    low = step === 0 ? low + rest : rest;
    starts[2 * at] = high += step;
    starts[2 * at + 1] = low;
    values[at] = reader.uint();
  }
  return new RangeTable(2, starts, values);
}
