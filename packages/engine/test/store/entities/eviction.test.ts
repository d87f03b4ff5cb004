import { expect, it } from 'vitest';
import { partCount } from '../../../src/store/memory/key-table.ts';
import { Hand, type Visited } from '../../../src/store/entities/eviction.ts';

it('the hand visits all parts of all tables, and continues where it stopped', () => {
  const hand = new Hand();
  const visited: string[] = [];
  const visit = (table: string, part: number): Visited =>
    visited.push(`${table}${part}`) % (partCount + 44) === 0 ? 'enough' : 'on';
  hand.go(['a', 'b'], Infinity, visit);
  expect([visited[0], ...visited.slice(partCount - 1, partCount + 1), visited.at(-1)]).toEqual([
    'a0',
    `a${partCount - 1}`,
    'b0',
    'b43',
  ]);
  expect(visited).toHaveLength(partCount + 44);
  hand.go(['a', 'b'], 10, visit);
  expect(visited.slice(partCount + 44)).toEqual(Array.from({ length: 10 }, (_, at) => `b${44 + at}`));
});

it('the hand returns to a part that is not finished', () => {
  const hand = new Hand();
  const visited: number[] = [];
  for (const answer of ['on', 'again', 'again', 'on'] as const) {
    hand.go(['a'], 1, (_, part) => {
      visited.push(part);
      return answer;
    });
  }
  expect(visited).toEqual([0, 1, 1, 1]);
});

it('the hand visits each part at most once per call', () => {
  const visited = new Set<number>();
  let visits = 0;
  new Hand().go(['a'], Infinity, (_, part) => {
    visited.add(part);
    return ++visits < 0 ? 'enough' : 'on';
  });
  expect([visits, visited.size]).toEqual([partCount, partCount]);
});
