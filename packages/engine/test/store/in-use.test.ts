import { expect, it } from 'vitest';
import { InUse } from '../../src/store/in-use.ts';

class Thing {
  touched = false;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

it('puts away what nobody asked for since the hand came by, and never more than it must', () => {
  const away: string[] = [];
  const inUse = new InUse<Thing>(3, ({ name }) => away.push(name));
  const things = ['a', 'b', 'c', 'd'].map((name) => new Thing(name));
  for (const thing of things) inUse.add(thing);
  // All were asked for: the hand goes round once, and takes the first.
  inUse.rest();
  expect(away).toEqual(['a']);
  inUse.rest();
  expect(away).toEqual(['a']);
  things[3]!.touched = true;
  inUse.add(new Thing('e'));
  inUse.rest();
  expect(away).toEqual(['a', 'b']);
});

it('looks at few in one go, however many there are', () => {
  const away: string[] = [];
  const inUse = new InUse<Thing>(0, ({ name }) => away.push(name));
  for (let name = 0; name < 1_000; name++) inUse.add(new Thing(String(name)));
  inUse.rest();
  expect(away).toEqual([]);
  let rests = 0;
  for (; away.length < 1_000; rests++) inUse.rest();
  expect(rests).toBeGreaterThan(20);
  expect(new Set(away).size).toBe(1_000);
});
