/** Parts that a table of entities has: one is looked through without a pause that anybody would notice. */
const partCount = 256;

/** A table of entities in `partCount` parts. */
export interface Evictable {
  /**
   * Lets entities and absent names of one part go that nobody has touched since its last turn and that changed in no
   * checkpoint after `committed`, at most so many. Returns how many went.
   */
  evictPart(part: number, excess: number, committed: number): number;
}

/** A hand that goes round all parts of all tables, and goes on where it stopped. */
export class Eviction {
  #turn = 0;

  /** Goes at most so many parts further, once round at the most, until so many entities have gone. */
  run(tables: readonly Evictable[], { excess, steps, committed }: EvictionTurn): void {
    let rest = excess;
    const turns = tables.length * partCount;
    for (let step = 0; step < Math.min(steps, turns) && rest > 0; step++) {
      const turn = this.#turn % turns;
      this.#turn = turn + 1;
      rest -= tables[Math.floor(turn / partCount)]!.evictPart(turn % partCount, rest, committed);
    }
  }
}

export interface EvictionTurn {
  readonly excess: number;
  readonly steps: number;
  /** Number of the last checkpoint that is stored. */
  readonly committed: number;
}
