import { expect, it } from 'vitest';
import { Hand, type Visited } from '../../src/store/eviction.ts';

it('goes round all parts of all tables, and on where it stopped', () => {
  const hand = new Hand();
  const visited: string[] = [];
  const visit = (table: string, part: number): Visited =>
    visited.push(`${table}${part}`) % 300 === 0 ? 'enough' : 'on';
  hand.go(['a', 'b'], Infinity, visit);
  expect([visited.length, visited[0], visited[255], visited[256], visited[299]]).toEqual([
    300,
    'a0',
    'a255',
    'b0',
    'b43',
  ]);
  hand.go(['a', 'b'], 10, visit);
  expect([visited.length, visited[300], visited.at(-1)]).toEqual([310, 'b44', 'b53']);
});

it('comes back to a part that has more', () => {
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

it('visits each part once at the most', () => {
  const visited = new Set<number>();
  let visits = 0;
  new Hand().go(['a'], Infinity, (_, part) => {
    visited.add(part);
    return ++visits < 0 ? 'enough' : 'on';
  });
  expect([visits, visited.size]).toEqual([256, 256]);
});
