import { expect, it } from 'vitest';
import { InUse } from '../../../src/store/entities/clock-cache.ts';

class Thing {
  touched = false;
  readonly name: number;

  constructor(name: number) {
    this.name = name;
  }
}

/** Objects accessed by name, of which at most `max` are in use between two accesses. */
class Stage {
  readonly inUse: InUse<Thing>;
  /** Names of the objects that were put away, in order. */
  readonly away: number[] = [];
  readonly #things = new Map<number, Thing>();

  constructor(max: number) {
    this.inUse = new InUse<Thing>(
      max,
      ({ name }) => name,
      ({ name }) => {
        this.away.push(name);
        this.#things.delete(name);
      },
    );
  }

  ask(...names: readonly number[]): void {
    for (const name of names) {
      const known = this.#things.get(name);
      if (known === undefined) this.#come(new Thing(name));
      else known.touched = true;
      this.inUse.rest();
    }
  }

  #come(thing: Thing): void {
    this.#things.set(thing.name, thing);
    this.inUse.add(thing);
  }
}

function range(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

it('puts away new objects without a second access, in order of arrival, and never more than necessary', () => {
  const stage = new Stage(3);
  stage.ask(1, 2, 3);
  expect(stage.away).toEqual([]);
  stage.ask(2, 4);
  expect(stage.away).toEqual([1]);
  stage.ask(5, 6);
  expect(stage.away).toEqual([1, 3, 4]);
  stage.inUse.rest();
  expect(stage.away).toEqual([1, 3, 4]);
});

it('puts away objects of the main queue that were not accessed since their last visit', () => {
  const stage = new Stage(10);
  stage.ask(...range(1, 10), ...range(1, 10));
  for (const name of range(21, 40)) stage.ask(name, name, 2);
  expect(stage.away).toEqual(expect.arrayContaining([1, ...range(3, 8)]));
  expect(stage.away).not.toContain(2);
});

it('adds an object that returns soon after leaving to the main queue', () => {
  const stage = new Stage(16);
  stage.ask(...range(1, 17));
  expect(stage.away).toEqual([1]);
  stage.ask(1, ...range(20, 100));
  expect(stage.away.filter((name) => name === 1)).toHaveLength(1);
  expect(stage.away).toContain(119 - 16);
});

it('adapts to what is accessed now, whatever was accessed before', () => {
  const stage = new Stage(64);
  stage.ask(...range(0, 64), ...range(0, 64));
  // More than the short queue has room for, repeatedly.
  for (let round = 0; round < 3; round++) stage.ask(...range(1_000, 32));
  const before = stage.away.length;
  stage.ask(...range(1_000, 32));
  expect(stage.away).toHaveLength(before);
});

it('visits a bounded number of objects per call', () => {
  const stage = new Stage(0);
  for (let name = 0; name < 1_000; name++) {
    const thing = new Thing(name);
    stage.inUse.add(thing);
    thing.touched = true;
  }
  stage.inUse.rest();
  expect(stage.away).toEqual([]);
  let rests = 0;
  for (; stage.away.length < 1_000; rests++) stage.inUse.rest();
  expect(rests).toBeGreaterThan(20);
  expect(new Set(stage.away).size).toBe(1_000);
});
