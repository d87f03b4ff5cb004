import type { IpAddress } from '@ringfence/contract';
import { type Range, type RangeTable, tableOf } from './range-table.ts';
import { parseNetwork } from './special-addresses.ts';

/** A list of addresses and networks, in the formats that publishers use. */
export class AddressList {
  /** Lines that contain an address or a network. */
  readonly count: number;
  /** Lines that do not, as shown to a person: `line 1: "cidr"`. */
  readonly passedOver: readonly string[];
  readonly #tables: Readonly<Record<4 | 6, RangeTable>>;

  constructor(count: number, passedOver: readonly string[], tables: Readonly<Record<4 | 6, RangeTable>>) {
    this.count = count;
    this.passedOver = passedOver;
    this.#tables = tables;
  }

  has({ version, words }: IpAddress): boolean {
    return this.#tables[version].at(words) !== 0;
  }
}

/** Invalid lines that are allowed before a file is refused: a heading, and a note or two. */
const strangeLinesMax = 10;
/** Characters of such a line that are shown: longer than any network. */
const shownLengthMax = 60;

/**
 * Reads one address or network per line: the first column if there are several, separated by commas, semicolons or
 * spaces; `#` begins a comment.
 *
 * @throws Error that names the line, for a file that is not such a list
 */
export function readAddressList(text: string): AddressList {
  const ranges: Record<4 | 6, Range[]> = { 4: [], 6: [] };
  let count = 0;
  const passedOver: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    const entry = /^[^#;,\s"]*/.exec(line.trim().replace(/^"/, ''))![0];
    if (entry === '') continue;
    const network = parseNetwork(entry);
    if (network === undefined) {
      const line = `line ${at + 1}: ${JSON.stringify(entry.slice(0, shownLengthMax))}`;
      if (passedOver.push(line) > strangeLinesMax) throw new Error(`${line} is neither an address nor a network`);
      continue;
    }
    count++;
    ranges[network.version].push({ ...network.range, value: 1 });
  }
  if (count === 0) throw new Error('no line begins with an address or a network, such as 203.0.113.0/24');
  return new AddressList(count, passedOver, { 4: tableOf(ranges[4], 1), 6: tableOf(ranges[6], 4) });
}
