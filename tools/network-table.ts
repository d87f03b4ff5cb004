/**
 * Writes packages/intel/data/world.table: country and operator of every network.
 *
 *     node tools/network-table.ts <folder> <day of the data>
 *
 * The folder holds `country-ipv4-num.csv`, `country-ipv6-num.csv` (first and last address as numbers, country) and
 * `asn-ipv4-num.csv`, `asn-ipv6-num.csv` (the same, number and name of the operator).
 * See docs/decisions/0023-device-recognition.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { ByteWriter } from '../packages/contract/src/byte-writer.ts';
import type { WorldHead } from '../packages/intel/src/network/world-table.ts';

const [folder, date] = process.argv.slice(2);
if (folder === undefined || date === undefined) throw new Error('node tools/network-table.ts <folder> <yyyy-mm-dd>');

const head: WorldHead = {
  format: 1,
  date,
  attribution:
    'IP geolocation by DB-IP (https://db-ip.com), with routes of Route Views (https://www.routeviews.org); CC BY 4.0',
};

interface Row {
  readonly first: bigint;
  readonly last: bigint;
  /** 1 or more. */
  readonly value: number;
}

/** Numbers texts in order of first use, from 1. */
class Numbering {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) this.#numbers.set(text, (number = this.#numbers.size + 1));
    return number;
  }

  get texts(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}

const csvLine = /^(\d+),(\d+),(?:"((?:[^"]|"")*)"|([^,]*))(?:,(?:"((?:[^"]|"")*)"|(.*)))?$/;
const countries = new Numbering();
const organisations = new Map<number, string>();

/** @param shift low bits to omit: only the first 64 bits of IPv6 are used */
function rowsOf(file: string, shift: bigint, valueOf: (third: string, fourth: string) => number): readonly Row[] {
  const rows: Row[] = [];
  for (const line of readFileSync(join(folder!, file), 'utf8').split('\n')) {
    if (line === '') continue;
    const match = csvLine.exec(line);
    if (match === null) throw new Error(`${file}: ${line}`);
    const value = valueOf(match[3] ?? match[4] ?? '', (match[5] ?? match[6] ?? '').replaceAll('""', '"'));
    rows.push({ first: BigInt(match[1]!) >> shift, last: BigInt(match[2]!) >> shift, value });
  }
  return rows;
}

const countryOf = (country: string): number =>
  /^[A-Z]{2}$/.test(country) && country !== 'ZZ' ? countries.of(country) : 0;
const operatorOf = (asn: string, organisation: string): number => {
  organisations.set(Number(asn), organisation);
  return Number(asn);
};

interface Stretch {
  readonly first: bigint;
  readonly country: number;
  readonly asn: number;
}

function stretchesOf(byCountry: readonly Row[], byAsn: readonly Row[]): readonly Stretch[] {
  const changes = new Map<bigint, { country?: number; asn?: number }>();
  const note = (rows: readonly Row[], member: 'country' | 'asn'): void => {
    for (const { first, last, value } of rows) {
      changes.set(last + 1n, { [member]: 0, ...changes.get(last + 1n) });
      changes.set(first, { ...changes.get(first), [member]: value });
    }
  };
  note(byCountry, 'country');
  note(byAsn, 'asn');
  const stretches: Stretch[] = [];
  let [country, asn] = [0, 0];
  for (const [first, change] of [...changes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const before = stretches.at(-1);
    country = change.country ?? country;
    asn = change.asn ?? asn;
    if (before?.country !== country || before.asn !== asn) stretches.push({ first, country, asn });
  }
  return stretches;
}

const ipv4 = stretchesOf(rowsOf('country-ipv4-num.csv', 0n, countryOf), rowsOf('asn-ipv4-num.csv', 0n, operatorOf));
const ipv6 = stretchesOf(rowsOf('country-ipv6-num.csv', 64n, countryOf), rowsOf('asn-ipv6-num.csv', 64n, operatorOf));

const asns = [...organisations.keys()].toSorted((a, b) => a - b);
const placeOfAsn = new Map(asns.map((asn, place) => [asn, place + 1]));
const pairs = new Numbering();
const entryOf = ({ country, asn }: Stretch): number =>
  country === 0 && asn === 0 ? 0 : pairs.of(`${country} ${placeOfAsn.get(asn) ?? 0}`);
const entries4 = ipv4.map(entryOf);
const entries6 = ipv6.map(entryOf);

const writer = new ByteWriter();
writer.uint(countries.texts.length);
for (const country of countries.texts) writer.text(country);
writer.uint(asns.length);
asns.forEach((asn, place) => {
  writer.uint(asn - (asns[place - 1] ?? 0));
  writer.text(organisations.get(asn)!);
});
writer.uint(pairs.texts.length);
for (const pair of pairs.texts) for (const part of pair.split(' ')) writer.uint(Number(part));
writer.uint(ipv4.length);
ipv4.forEach(({ first }, at) => {
  writer.uint(Number(first - (ipv4[at - 1]?.first ?? 0n)));
  writer.uint(entries4[at]!);
});
writer.uint(ipv6.length);
ipv6.forEach(({ first }, at) => {
  const before = ipv6[at - 1]?.first ?? 0n;
  const step = (first >> 32n) - (before >> 32n);
  writer.uint(Number(step));
  writer.uint(Number(step === 0n ? first - before : first & 0xffff_ffffn));
  writer.uint(entries6[at]!);
});
const body = brotliCompressSync(writer.take(), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
writeFileSync(
  new URL('../packages/intel/data/world.table', import.meta.url),
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]),
);
