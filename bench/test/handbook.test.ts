import { clientOf, sessionOf } from '@ringfence/contract';
import { loadPolicy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { historyOf } from '../src/handbook/history.ts';
import { parseRows } from '../src/handbook/read-rows.ts';
import { syntheticRows } from '../src/handbook/synthetic-rows.ts';
import { policyFiles } from '../src/product/bench-policy.ts';
import { planVisits } from '../src/handbook/visits.ts';

const rows = syntheticRows(7);
const history = historyOf(rows, planVisits(rows, 7));
const events = history.slice(0, history.count);

describe('the history', () => {
  it('keeps every operation, with its client and amount', () => {
    const operations = events.flatMap(({ event }) => (event.kind === 'operation' ? [event] : []));
    expect(operations).toHaveLength(rows.count);
    expect(Number(operations[5]?.order?.amount)).toBe((rows.amountCents[5] ?? 0) / 100);
    expect(operations[5]?.account?.client).toBe(`client-${rows.customer[5]}`);
  });

  it('is ordered by time', () => {
    expect(events.every(({ atMs }, i) => i === 0 || atMs >= (events[i - 1]?.atMs ?? 0))).toBe(true);
  });

  it('has a login before the operations of each session and no operation after its logout', () => {
    const openFor = new Map<string, string>();
    const strays = events.filter(({ event }) => {
      const session = sessionOf(event) ?? '';
      if (event.kind === 'login') openFor.set(session, event.user);
      const matched = openFor.get(session) === clientOf(event);
      if (event.kind === 'logout') openFor.delete(session);
      return !matched;
    });
    expect(strays).toEqual([]);
  });

  it('is the same for the same seed in any slices, and differs for another seed', () => {
    const again = historyOf(syntheticRows(7), planVisits(rows, 7));
    expect([...again.slice(0, 400), ...again.slice(400, 1_000)]).toEqual(events.slice(0, 1_000));
    expect(historyOf(rows, planVisits(rows, 8)).slice(0, 1_000)).not.toEqual(events.slice(0, 1_000));
  });
});

it.each(['cards', 'clients', 'forty', 'handbook'])('the policy %s has no mistakes', async (name) => {
  expect(loadPolicy(await policyFiles(name))).toMatchObject({ ok: true });
});

describe('parseRows', () => {
  const header = 'tx_id,epoch_s,customer,terminal,amount,fraud,scenario';

  it('reads the columns', () => {
    const read = parseRows(`${header}\n0,1522540831,596,3156,57.16,0,0\n1,1522540930,4961,3412,146.0,1,2\n`);
    expect([...read.epochS]).toEqual([1522540831, 1522540930]);
    expect([...read.amountCents]).toEqual([5716, 14600]);
    expect([...read.fraud]).toEqual([0, 1]);
    expect([...read.scenario]).toEqual([0, 2]);
  });

  it('refuses other columns, and rows out of order', () => {
    expect(() => parseRows('a,b\n1,2\n')).toThrow('columns');
    expect(() => parseRows(`${header}\n0,9,1,1,1.0,0,0\n1,8,1,1,1.0,0,0\n`)).toThrow('order');
  });
});
