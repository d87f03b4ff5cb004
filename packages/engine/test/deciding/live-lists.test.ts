import { hourMs, minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { liveItemsMax } from '../../src/limits.ts';
import type { ListChange } from '../../src/record.ts';
import { LogBuilder, policyOf, run } from '../log-builder.ts';

const policy = policyOf(`
lists:
  mules: { of: payee.id, live: true, items: [B1/1] }
  offices: { of: publicIp, live: true, items: [198.51.100.0/24] }
  known: { of: [payee.id, client.id], live: true, items: [[B1/7, bob]] }
  words: { of: transaction.type, live: true, max: 5 }
  channels: { of: channelId, live: true }
rules:
  - { reason: 1, name: mule, on: [operation], when: payee.id in lists.mules, then: { action: 2 } }
  - { reason: 2, name: office, on: [login], when: publicIp in lists.offices, then: { action: 2 } }
  - { reason: 3, name: known pair, on: [operation], when: '[payee.id, client.id] in lists.known', then: { action: 2 } }
  - { reason: 4, name: word, on: [operation], when: 'lists.words.exists(word, order.currency.contains(word))', then: { action: 2 } }
  - { reason: 5, name: channel, on: [login], when: channelId in lists.channels, then: { action: 2 } }
`);

function logWith(...changes: readonly ListChange[]): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  for (const change of changes) log.append({ kind: 'list', change });
  return log;
}

const put = (list: string, ...items: readonly string[]): ListChange => ({
  list,
  put: items.map((item) => ({ item })),
  remove: [],
});

function reasonsOn(log: LogBuilder, offset: number): readonly number[] {
  return run(log.records)
    .decisions.get(offset)!
    .fired.map(({ reason }) => reason);
}

describe('a live list', () => {
  it('contains the items of the files and of records, until they are removed', () => {
    const log = logWith();
    expect(reasonsOn(log, log.operation('ana', { payee: '1' }))).toEqual([1]);
    expect(reasonsOn(log, log.operation('ana', { payee: '2' }))).toEqual([]);
    log.append({ kind: 'list', change: put('mules', 'B1/2') });
    expect(reasonsOn(log, log.operation('ana', { payee: '2' }))).toEqual([1]);
    log.append({ kind: 'list', change: { list: 'mules', put: [], remove: ['B1/2', 'B1/1'] } });
    expect(reasonsOn(log, log.operation('ana', { payee: '2' }))).toEqual([]);
    expect(reasonsOn(log, log.operation('ana', { payee: '1' }))).toEqual([1]);
  });

  it('removes an item at its expiry, by log time', () => {
    const log = logWith();
    const untilMs = log.nowMs + hourMs;
    log.append({ kind: 'list', change: { list: 'mules', put: [{ item: 'B1/2', untilMs }], remove: [] } });
    expect(reasonsOn(log, log.wait(hourMs - 1).operation('ana', { payee: '2' }))).toEqual([1]);
    expect(reasonsOn(log, log.wait(1).operation('ana', { payee: '2' }))).toEqual([]);
  });

  it('accepts an item if expired items of another list fill the bound', () => {
    const log = logWith();
    const untilMs = log.nowMs + minuteMs;
    const full = Array.from({ length: liveItemsMax }, (_, at) => ({ item: `B1/x${at}`, untilMs }));
    log.append({ kind: 'list', change: { list: 'mules', put: full, remove: [] } });
    log.append({ kind: 'list', change: put('channels', '9') });
    expect(reasonsOn(log, log.login('ana', { channelId: 9 }))).toEqual([]);
    log.wait(minuteMs).append({ kind: 'list', change: put('channels', '9') });
    expect(reasonsOn(log, log.login('bob', { channelId: 9 }))).toEqual([5]);
  });

  it('of addresses contains ranges', () => {
    const log = logWith(put('offices', '203.0.113.0/28', '2001:db8::/32'));
    const on = (ip: string): readonly number[] => reasonsOn(log, log.wait(minuteMs).login('ana', { session: ip, ip }));
    expect(on('203.0.113.15')).toEqual([2]);
    expect(on('203.0.113.16')).toEqual([]);
    expect(on('198.51.100.200')).toEqual([2]);
    expect(on('2001:db8:7::1')).toEqual([2]);
    expect(on('64:ff9b::203.0.113.15')).toEqual([2]);
    log.append({ kind: 'list', change: { list: 'offices', put: [], remove: ['203.0.113.0/28'] } });
    expect(on('203.0.113.14')).toEqual([]);
  });

  it('of pairs matches both parts together', () => {
    const log = logWith(put('known', 'B1/8\u0000ana'));
    expect(reasonsOn(log, log.operation('ana', { payee: '8' }))).toEqual([3]);
    expect(reasonsOn(log, log.operation('bob', { payee: '8' }))).toEqual([]);
    expect(reasonsOn(log, log.operation('bob', { payee: '7' }))).toEqual([3]);
    expect(reasonsOn(log, log.operation(undefined, { payee: '7' }))).toEqual([]);
  });

  it('can be iterated, and contains numbers', () => {
    const log = logWith(put('words', 'EU'), put('channels', '7'));
    expect(reasonsOn(log, log.operation('ana', { currency: 'EUR' }))).toEqual([4]);
    expect(reasonsOn(log, log.operation('ana', { currency: 'USD' }))).toEqual([]);
    expect(reasonsOn(log, log.login('ana', { channelId: 7 }))).toEqual([5]);
  });

  it('loses items that name an erased client, even in a state restored from a checkpoint', () => {
    const subject = 'subject of ana';
    const change = { list: 'known', put: [{ item: 'B1/8\u0000ana', subject }, { item: 'B1/8\u0000bob' }], remove: [] };
    const log = logWith(change);
    expect(reasonsOn(log, log.operation('ana', { payee: '8' }))).toEqual([3]);
    const { state } = run(log.records);
    const restored = restoreState(checkpointOf(state).globals, state.policy, { complete: true });
    expect(restored.lists.of('known').subjectOf('B1/8\u0000ana')).toBe(subject);
    log.append({ kind: 'erase', subject });
    run(log.records.slice(-1), restored);
    expect([...restored.lists.of('known').items.keys()]).toEqual(['B1/8\u0000bob']);
    expect(reasonsOn(log, log.operation('ana', { payee: '8' }))).toEqual([]);
    expect(reasonsOn(log, log.operation('bob', { payee: '8' }))).toEqual([3]);
  });

  it('survives a new policy and a checkpoint', () => {
    const log = logWith(put('mules', 'B1/2'));
    log.policy(policyOf('rules:\n  - { reason: 9, name: no, when: order.amount > 99, then: { action: 2 } }'), 2);
    log.policy(policy, 3);
    const { state } = run(log.records);
    const { globals, entities } = checkpointOf(state);
    const restored = restoreState(globals, state.policy, { complete: false });
    supply(restored, [...entities, { key: 'c/subject of ana', bytes: undefined }]);
    expect(checkpointOf(restored).globals).toEqual(globals);
    const offset = log.operation('ana', { payee: '2' });
    const [fired] = [...run(log.records.slice(-1), restored).decisions.values()];
    expect([fired?.offset, fired?.fired.map(({ reason }) => reason)]).toEqual([offset, [1]]);
  });
});
