import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue, type QueuedEvent } from '../src/queue.ts';

function queued(lane: string, sizeBytes = 10): QueuedEvent {
  const body = Buffer.alloc(sizeBytes);
  return {
    kind: 'login',
    lane,
    body,
    idempotencyKey: '',
    takenAtMs: 0,
    asked: undefined,
    attempts: 0,
    lastFailure: undefined,
  };
}

const roomy = { eventsMax: 1_000, bytesMax: 1_000_000 };

describe('the bounds', () => {
  it('count all events in the client, not only the waiting ones', () => {
    const queue = new Queue({ eventsMax: 2, bytesMax: 1_000 });
    const first = queued('a');
    expect([queue.add(first), queue.add(queued('b')), queue.add(queued('c'))]).toEqual([true, true, false]);
    queue.take(0);
    expect(queue.add(queued('c'))).toBe(false);
    queue.settle(first);
    expect(queue.add(queued('c'))).toBe(true);
  });

  it('count bytes', () => {
    const queue = new Queue({ eventsMax: 100, bytesMax: 25 });
    expect([queue.add(queued('a')), queue.add(queued('b')), queue.add(queued('c'))]).toEqual([true, true, false]);
    expect(queue.sizeBytes).toBe(20);
    expect([queue.add(queued('d', 6)), queue.add(queued('d', 5)), queue.add(queued('d', 1))]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

it('returns retries when they are due, earliest first, before fresh events', () => {
  const queue = new Queue(roomy);
  const [a, b, c] = [queued('a'), queued('b'), queued('c')];
  for (const event of [a, b, c]) queue.add(event);
  expect([queue.take(0), queue.take(0)]).toEqual([a, b]);
  queue.rest(a, 30);
  queue.rest(b, 20);
  expect(queue.nextDueAtMs).toBe(20);
  expect([queue.take(25), queue.take(25), queue.take(25), queue.take(30)]).toEqual([b, c, undefined, a]);
});

it('returns retries in the order of their due times, and in the order of arrival when these are equal', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 30 }), (dueAtMs) => {
      const queue = new Queue(roomy);
      const rested = dueAtMs.map((atMs, i) => ({ atMs, event: queued(String(i)) }));
      for (const { atMs, event } of rested) queue.rest(event, atMs);
      const given = rested.map(() => queue.take(9));
      expect(given).toEqual(rested.toSorted((a, b) => a.atMs - b.atMs).map(({ event }) => event));
      expect(queue.take(9)).toBeUndefined();
    }),
    { seed: 1, numRuns: 200 },
  );
});

it('drains every event once, whatever its state', () => {
  const queue = new Queue(roomy);
  const events = [queued('a'), queued('a'), queued('a'), queued('b'), queued('c')];
  for (const event of events) queue.add(event);
  const rested = queue.take(0)!;
  queue.take(0);
  queue.freeLane(rested);
  queue.rest(rested, 10);
  const underWay = events[3]!;
  expect(new Set(queue.drain())).toEqual(new Set(events.filter((event) => event !== underWay)));
  expect(queue.drain()).toEqual([]);
});

type Move =
  | { readonly kind: 'add'; readonly lane: string }
  | { readonly kind: 'take' | 'finish' | 'fail'; readonly pick: number };

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('add' as const), lane: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ kind: fc.constantFrom('take' as const, 'finish' as const, 'fail' as const), pick: fc.nat(50) }),
  ),
  { maxLength: 200 },
);

it('returns every event once, first attempts of a lane in order and never two at a time', () => {
  fc.assert(
    fc.property(moves, (history) => {
      const queue = new Queue(roomy);
      const added: QueuedEvent[] = [];
      const firstAttempts: QueuedEvent[] = [];
      const underWay: QueuedEvent[] = [];
      let gone = 0;
      let isLaneShared = false;

      const take = (): QueuedEvent | undefined => {
        const event = queue.take(0);
        if (event === undefined) return undefined;
        event.attempts += 1;
        if (event.attempts === 1) {
          isLaneShared ||= underWay.some((other) => other.lane === event.lane && other.attempts === 1);
          firstAttempts.push(event);
        }
        underWay.push(event);
        return event;
      };
      const end = (event: QueuedEvent, isOver: boolean): void => {
        underWay.splice(underWay.indexOf(event), 1);
        if (event.attempts === 1) queue.freeLane(event);
        if (!isOver) return queue.rest(event, 0);
        queue.settle(event);
        gone += 1;
      };

      for (const move of history) {
        if (move.kind === 'add') {
          const event = queued(move.lane);
          added.push(event);
          queue.add(event);
        } else if (move.kind === 'take') take();
        else if (underWay.length > 0) end(underWay[move.pick % underWay.length]!, move.kind === 'finish');
      }
      for (;;) {
        const event = underWay[0] ?? take();
        if (event === undefined) break;
        end(event, true);
      }

      expect(isLaneShared).toBe(false);
      expect(gone).toBe(added.length);
      expect([queue.size, queue.sizeBytes]).toEqual([0, 0]);
      for (const lane of ['a', 'b', 'c']) {
        const isOfLane = (event: QueuedEvent): boolean => event.lane === lane;
        expect(firstAttempts.filter(isOfLane)).toEqual(added.filter(isOfLane));
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});
