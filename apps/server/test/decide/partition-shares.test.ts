/** Processes that follow `planShare` converge to equal shares whatever happens, and then move nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Look, planShare, settledMs, unevenForMs, waitForOthersMs } from '../../src/decide/partition-shares.ts';

const tickMs = 1_000;

const alone: Look = {
  selfId: 1,
  keepers: [{ id: 1, held: 0, ageMs: 0 }],
  partitions: 3,
  free: ['a', 'b', 'c'].map((id) => ({ id, freeMs: 0 })),
  held: [],
  unevenMs: 0,
};

describe('one process', () => {
  it('takes everything immediately', () => {
    expect(planShare(alone)).toEqual({ take: ['a', 'b', 'c'], handOver: [], isUneven: false });
  });

  it('takes at most a hundred per look', () => {
    const free = Array.from({ length: 250 }, (_, i) => ({ id: String(i), freeMs: 0 }));
    expect(planShare({ ...alone, partitions: 250, free }).take).toHaveLength(100);
  });
});

describe('one partition', () => {
  const two = [
    { id: 1, held: 1, ageMs: settledMs },
    { id: 2, held: 0, ageMs: settledMs },
  ];

  it('stays where it is', () => {
    const look = { selfId: 1, keepers: two, partitions: 1, free: [], held: ['a'], unevenMs: 60_000 };
    expect(planShare(look)).toEqual({ take: [], handOver: [], isUneven: false });
  });

  it('is taken by the other process when its owner is gone', () => {
    const free = [{ id: 'a', freeMs: 0 }];
    expect(planShare({ selfId: 2, keepers: two.slice(1), partitions: 1, free, held: [], unevenMs: 0 }).take).toEqual([
      'a',
    ]);
  });
});

describe('a process with its share', () => {
  const keepers = [
    { id: 1, held: 2, ageMs: 60_000 },
    { id: 2, held: 1, ageMs: 60_000 },
  ];
  const look = { selfId: 1, keepers, partitions: 4, held: ['a', 'b'], unevenMs: 0 };

  it('leaves free partitions to the other process, but not forever', () => {
    expect(planShare({ ...look, free: [{ id: 'd', freeMs: waitForOthersMs - 1 }] }).take).toEqual([]);
    expect(planShare({ ...look, free: [{ id: 'd', freeMs: waitForOthersMs }] }).take).toEqual(['d']);
  });
});

describe('a process with more than its share', () => {
  const held = ['a', 'b', 'c', 'd'];
  const look = { selfId: 1, partitions: 4, free: [], held, unevenMs: unevenForMs };
  const second = (ageMs: number) => [
    { id: 1, held: 4, ageMs: 60_000 },
    { id: 2, held: 0, ageMs },
  ];

  it('hands the partitions that it took last to a process that has settled', () => {
    expect(planShare({ ...look, keepers: second(settledMs) })).toMatchObject({ handOver: ['d', 'c'], isUneven: false });
    expect(planShare({ ...look, keepers: second(settledMs - 1) })).toMatchObject({ handOver: [], isUneven: false });
  });

  it('hands them over only when two looks agree', () => {
    const early = planShare({ ...look, keepers: second(settledMs), unevenMs: unevenForMs - 1 });
    expect(early).toMatchObject({ handOver: [], isUneven: true });
  });
});

describe('among three processes', () => {
  const keepers = (...held: readonly number[]): Look['keepers'] =>
    held.map((count, place) => ({ id: place + 1, held: count, ageMs: 60_000 }));
  const given = (selfId: number, all: Look['keepers'], free: Look['free'] = []): number => {
    const mine = all.find(({ id }) => id === selfId)!.held;
    const held = Array.from({ length: mine }, (_, i) => String(i));
    const partitions = all.reduce((sum, keeper) => sum + keeper.held, free.length);
    return planShare({ selfId, keepers: all, partitions, free, held, unevenMs: unevenForMs }).handOver.length;
  };

  it('one that holds its share hands over nothing while another holds more', () => {
    expect([1, 2, 3].map((id) => given(id, keepers(6, 9, 3)))).toEqual([0, 3, 0]);
  });

  it('of those that hold one more than they need, the first hands it over', () => {
    expect([1, 2, 3].map((id) => given(id, keepers(2, 2, 0)))).toEqual([1, 0, 0]);
  });

  it('nothing is handed over while one is free, and at most 16 per look', () => {
    expect(given(1, keepers(60, 0, 0), [{ id: 'free', freeMs: 0 }])).toBe(0);
    expect(given(1, keepers(60, 0, 0))).toBe(16);
  });
});

/** A process of the simulation; `said` is what it has reported to the others. */
interface Process {
  readonly id: number;
  readonly bornMs: number;
  held: string[];
  said: number;
  unevenSinceMs: number | undefined;
  /** It looks once per this many ticks: taking partitions slows a process down. */
  readonly everyTicks: number;
}

class Site {
  readonly partitions: readonly string[];
  readonly #freeSince = new Map<string, number>();
  processes: Process[] = [];
  nowMs = 0;
  moves = 0;
  longestFreeMs = 0;
  #born = 0;

  constructor(partitions: number) {
    this.partitions = Array.from({ length: partitions }, (_, i) => `p${i}`);
  }

  start(everyTicks = 1): void {
    this.#born += 1;
    this.processes.push({
      id: this.#born,
      bornMs: this.nowMs,
      held: [],
      said: 0,
      unevenSinceMs: undefined,
      everyTicks,
    });
  }

  kill(place: number): void {
    this.processes = this.processes.filter((_, i) => i !== place % this.processes.length);
  }

  /** Every process that is due looks once, in the order given by `turns`. */
  tick(turns: (below: number) => number): void {
    this.nowMs += tickMs;
    const waiting = this.processes.filter(({ everyTicks }) => (this.nowMs / tickMs) % everyTicks === 0);
    while (waiting.length > 0) this.#look(waiting.splice(turns(waiting.length), 1)[0]!);
    for (const id of this.#free()) {
      this.longestFreeMs = Math.max(this.longestFreeMs, this.nowMs - (this.#freeSince.get(id) ?? this.nowMs));
    }
  }

  #look(self: Process): void {
    self.said = self.held.length;
    const free = this.#free();
    for (const id of this.partitions) if (!free.includes(id)) this.#freeSince.delete(id);
    for (const id of free) if (!this.#freeSince.has(id)) this.#freeSince.set(id, this.nowMs);
    const plan = planShare({
      selfId: self.id,
      keepers: this.processes.map(({ id, said, bornMs }) => ({ id, held: said, ageMs: this.nowMs - bornMs })),
      partitions: this.partitions.length,
      free: free.map((id) => ({ id, freeMs: this.nowMs - this.#freeSince.get(id)! })),
      held: self.held,
      unevenMs: self.unevenSinceMs === undefined ? 0 : this.nowMs - self.unevenSinceMs,
    });
    self.unevenSinceMs = plan.isUneven ? (self.unevenSinceMs ?? this.nowMs) : undefined;
    self.held = [...self.held.filter((id) => !plan.handOver.includes(id)), ...plan.take];
    this.moves += plan.take.length;
  }

  #free(): readonly string[] {
    const held = new Set(this.processes.flatMap((one) => one.held));
    return this.partitions.filter((id) => !held.has(id));
  }

  spread(): number {
    const counts = this.processes.map((one) => one.held.length);
    return Math.max(...counts) - Math.min(...counts);
  }
}

describe('any number of processes that start and stop', () => {
  const change = fc.oneof(
    fc.constant({ kind: 'start' as const }),
    fc.record({ kind: fc.constant('kill' as const), place: fc.nat(9) }),
  );
  const life = fc.record({
    partitions: fc.integer({ min: 1, max: 60 }),
    changes: fc.array(fc.record({ change, ticks: fc.nat(9) }), { maxLength: 12 }),
    turns: fc.infiniteStream(fc.nat(99)),
  });

  it('share evenly within 20 s, leave nothing free for long, and then move nothing', () => {
    fc.assert(
      fc.property(life, ({ partitions, changes, turns }) => {
        const turn = (below: number): number => turns.next().value! % below;
        const site = new Site(partitions);
        site.start();
        for (const { change: one, ticks } of changes) {
          if (one.kind === 'start') site.start();
          else if (site.processes.length > 1) site.kill(one.place);
          for (let tick = 0; tick < ticks; tick++) site.tick(turn);
        }
        for (let tick = 0; tick < 20; tick++) site.tick(turn);
        expect(site.spread()).toBeLessThanOrEqual(1);
        expect(site.longestFreeMs).toBeLessThanOrEqual(waitForOthersMs + tickMs);
        const { moves } = site;
        for (let tick = 0; tick < 30; tick++) site.tick(turn);
        expect(site.moves).toBe(moves);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('move no more than necessary when one joins', () => {
    const site = new Site(30);
    site.start();
    for (let tick = 0; tick < 3; tick++) site.tick(() => 0);
    for (const [processes, moved] of [
      [2, 15],
      [3, 10],
    ] as const) {
      site.start();
      const before = site.moves;
      for (let tick = 0; tick < 20; tick++) site.tick(() => 0);
      expect(site.processes).toHaveLength(processes);
      expect(site.spread()).toBe(0);
      expect(site.moves - before).toBe(moved);
    }
  });

  it('move no more when the joining one reports late what it has taken', () => {
    for (const first of [0, 1]) {
      const site = new Site(8);
      site.start();
      for (let tick = 0; tick < 2 + first; tick++) site.tick(() => 0);
      site.start(2);
      const before = site.moves;
      for (let tick = 0; tick < 20; tick++) site.tick(() => 0);
      expect(site.spread()).toBe(0);
      expect(site.moves - before).toBe(4);
    }
  });
});
