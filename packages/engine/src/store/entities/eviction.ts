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
   * Lets entities and absent names of one part go that nobody has touched since its last turn and that changed in no
   * checkpoint after `committed`, until it is enough.
   */
  evictPart(part: number, leaving: Leaving): void;
}

/** What a visit says: go on with the next part, go on there another time, or come back to this part then. */
export type Visited = 'on' | 'enough' | 'again';

/** A hand that goes round all parts of all tables, and goes on where it stopped. */
export class Hand {
  #turn = 0;

  /** Visits at most so many parts, each once at the most, as long as visits say so. */
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
