/**
 * Shows each broken promise to the judge of the crash runs: a promise whose violation it cannot detect proves nothing.
 */
import { describe, expect, it } from 'vitest';
import { type Books, judge } from '../crash/judge.ts';
import type { Report } from '../harness/ledger.ts';

const kept = { lost: [], undecided: [], lostByName: [], decidedTwice: [], actionRows: [], executions: [] };

const report = (reference: string, eventId: string | undefined, marked = false): Report => ({
  kind: 'operation',
  session: 's',
  reference,
  marked,
  eventId,
  tries: 1,
  firstTriedAtMs: 0,
  triedAtMs: 0,
  acknowledgedAtMs: 1,
});
const event = (id: string, status = 'decided', session = 's'): Books['events'][number] => ({
  id,
  kind: 'operation',
  status,
  session,
  fired: [],
});
const webhook = (webhookId: string, reference: string): Books['executed'][number] => ({
  webhookId,
  body: JSON.stringify({ message: reference }),
});

const good: Books = {
  reports: [report('r1', 'evt_1_1'), report('r2', 'evt_1_2', true), report('r3', undefined, true)],
  events: [event('evt_1_1'), event('evt_1_2'), event('evt_1_3')],
  actions: [
    { id: 'act_2', event: 'evt_1_2' },
    { id: 'act_3', event: 'evt_1_3' },
  ],
  executed: [webhook('act_2', 'r2'), webhook('act_3', 'r3')],
};

describe('judge', () => {
  it('accepts kept promises, whatever happened to events without a response', () => {
    expect(judge(good)).toEqual(kept);
    expect(
      judge({
        ...good,
        events: good.events.slice(0, 2),
        actions: good.actions.slice(0, 1),
        executed: good.executed.slice(0, 1),
      }),
    ).toEqual(kept);
  });

  it.each<[keyof ReturnType<typeof judge>, string, Partial<Books>]>([
    ['lost', 'an acknowledged event is not there', { events: good.events.slice(1) }],
    ['lost', 'its id names another event', { events: [event('evt_1_1', 'decided', 'other'), ...good.events.slice(1)] }],
    ['lost', 'its id was given twice', { reports: [...good.reports, report('r4', 'evt_1_1')], events: good.events }],
    ['lostByName', 'of two like it only one is there', { events: good.events.slice(2) }],
    ['undecided', 'an event still waits', { events: [event('evt_1_1', 'waiting'), ...good.events.slice(1)] }],
    ['decidedTwice', 'a repeat was decided as well', { events: [...good.events, event('evt_1_4')] }],
    ['actionRows', 'an event has two actions', { actions: [...good.actions, { id: 'act_4', event: 'evt_1_2' }] }],
    ['executions', 'an action never arrived', { executed: good.executed.slice(1) }],
    ['executions', 'an action arrived under two ids', { executed: [...good.executed, webhook('act_4', 'r2')] }],
    ['executions', 'an action arrived for another event', { executed: [webhook('act_3', 'r2')] }],
    [
      'executions',
      'an action arrived for an event that nobody reported',
      { executed: [...good.executed, webhook('act_5', 'r9')] },
    ],
  ])('detects a broken promise (%s): %s', (promise, _, change) => {
    const broken = judge({ ...good, ...change });
    expect(broken[promise].length).toBeGreaterThan(0);
  });

  it('accepts the loss of an event that may be lost, and of no other like it', () => {
    const few = { ...good, events: good.events.slice(2) };
    expect(judge({ ...few, forgotten: new Set(['evt_1_1']) }).lostByName).toEqual([]);
    expect(judge({ ...few, forgotten: new Set(['evt_1_9']) }).lostByName).toHaveLength(1);
  });

  it('accepts a repeat that was recorded but not decided', () => {
    expect(judge({ ...good, events: [...good.events, event('evt_1_4', 'repeat')] })).toEqual(kept);
  });
});
