import { brotliDecompressSync } from 'node:zlib';
import { ByteReader } from '@ringfence/contract';
import { RangeTable } from './range-table.ts';

/** A network's operator, by its autonomous system number. */
export interface Operator {
  readonly asn: number;
  readonly organisation: string;
}

/** The table's entry for an address; an unknown part is `undefined`. */
export interface WorldEntry {
  /** ISO 3166-1, two letters. */
  readonly country: string | undefined;
  readonly operator: Operator | undefined;
}

/** The header of a table's file. */
export interface WorldHead {
  readonly format: 1;
  /** Date of the data, `2026-06-17`. */
  readonly date: string;
  readonly attribution: string;
}

/** Countries and operators of all addresses: the file written by `tools/network-table.ts`, in memory. */
export class WorldTable {
  readonly head: WorldHead;
  readonly #ipv4: RangeTable;
  /** Compares the first 64 bits: no smaller block is assigned to anyone. */
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
 * Reads the file: its header as one line of JSON, then, compressed, countries, operators, pairs of these, and the
 * ranges of both versions. Takes some 100 ms.
 *
 * @throws Error for bytes that are not such a file
 */
export function readWorld(bytes: Uint8Array): WorldTable {
  const end = bytes.indexOf(headEnd);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as WorldHead;
  const reader = new ByteReader(brotliDecompressSync(bytes.subarray(end + 1)));
  const countries = reader.list(() => reader.text());
  let asn = 0;
  const operators = reader.list((): Operator => ({ asn: (asn += reader.uint()), organisation: reader.text() }));
  const entries = reader.list((): WorldEntry => ({
    country: countries[reader.uint() - 1],
    operator: operators[reader.uint() - 1],
  }));
  return new WorldTable(head, { ipv4: readIpv4(reader), ipv6: readIpv6(reader) }, entries);
}

function readIpv4(reader: ByteReader): RangeTable {
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

/** The first word as a difference; the second as a difference if the first is unchanged, otherwise in full. */
function readIpv6(reader: ByteReader): RangeTable {
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
