import { finished } from '../bytes/text-hash.ts';
import { everybodysCells, everybodysLoginsMax } from '../limits.ts';
import { LoginCounts } from './login-counts.ts';
import type { ShownLogin } from './shown-login.ts';

/** Separates the two rows: values that share a cell of one rarely share that of the other. */
const otherRow = 0x9e37_79b9;

/**
 * How often all clients of a workspace together showed each value, within a fixed memory: a count-min sketch of two rows
 * with conservative updates. A count is never too low; it is too high by the values that share both of its cells. All
 * counts are halved when there are `everybodysLoginsMax` logins, so that they follow what is usual now.
 *
 * Source: Cormode and Muthukrishnan, An Improved Data Stream Summary: The Count-Min Sketch, 2005
 */
export class EverybodysLogins extends LoginCounts {
  /** Logins that are counted. */
  logins = 0;
  /** Both rows, one after the other. Empty before the first login: most workspaces never need it. */
  cells = new Uint32Array(0);

  override countOf(hash: number): number {
    if (this.cells.length === 0) return 0;
    return Math.min(this.cells[firstCell(hash)]!, this.cells[secondCell(hash)]!);
  }

  override note(shown: ShownLogin): void {
    if (this.cells.length === 0) this.cells = new Uint32Array(2 * everybodysCells);
    super.note(shown);
    this.logins++;
    if (this.logins >= everybodysLoginsMax) this.#halve();
  }

  protected override add(hash: number): void {
    const { cells } = this;
    const [first, second] = [firstCell(hash), secondCell(hash)];
    const count = Math.min(cells[first]!, cells[second]!) + 1;
    if (cells[first]! < count) cells[first] = count;
    if (cells[second]! < count) cells[second] = count;
  }

  #halve(): void {
    this.halveTotals();
    this.logins = Math.floor(this.logins / 2);
    for (let cell = 0; cell < this.cells.length; cell++) this.cells[cell] = this.cells[cell]! >>> 1;
  }
}

function firstCell(hash: number): number {
  return (hash >>> 0) % everybodysCells;
}

function secondCell(hash: number): number {
  return everybodysCells + ((finished(hash ^ otherRow) >>> 0) % everybodysCells);
}
