import { partCount } from '../memory/key-table.ts';

/** Which entities may leave memory, and when enough have left. */
export interface Leaving {
  /** Number of the last checkpoint that is stored. */
  readonly committed: number;
  readonly isEnough: () => boolean;
}

/** A table of entities in `partCount` parts. */
export interface Evictable {
  /**
   * Evicts entities and absent names of one part that were not touched since the last visit and have not changed after
   * checkpoint `committed`, until enough have left.
   */
  evictPart(part: number, leaving: Leaving): void;
}

/**
 * Result of a visit: continue with the next part, stop and continue there next time, or stop and return to this part.
 */
export type Visited = 'on' | 'enough' | 'again';

/** CLOCK hand that circles through all parts of all tables and continues where it stopped. */
export class Hand {
  #turn = 0;

  /** Visits at most `steps` parts, each at most once, until a visit stops it. */
  go<Table>(tables: readonly Table[], steps: number, visit: (table: Table, part: number) => Visited): void {
    const turns = tables.length * partCount;
    for (let step = 0; step < Math.min(steps, turns); step++) {
      const turn = this.#turn % turns;
      const visited = visit(tables[Math.floor(turn / partCount)]!, turn % partCount);
      this.#turn = visited === 'again' ? turn : turn + 1;
      if (visited !== 'on') return;
    }
  }
}
