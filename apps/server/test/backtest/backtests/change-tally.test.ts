/**
 * An event that both policies flag is not a change, even if they decide it at different times. The live policy closes a
 * session, so an operation in it waits for another login; the candidate decides it immediately. The records come in two
 * batches, split between these times.
 */
import { type DecimalText, type EpochMs, secondMs } from '@ringfence/contract';
import { defaultSettings } from '@ringfence/engine';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { expect, it } from 'vitest';
import { ChangeTally } from '../../../src/backtest/backtests/change-tally.ts';
import { BacktestWorker } from '../../../src/backtest/backtests/backtest-worker.ts';
import type { WorkerReport } from '../../../src/backtest/backtests/worker-report.ts';
import { type LaneRecord, packRecord } from '../../../src/history/record-codec.ts';
import { HistoryWriter } from '../../../src/history/history-bytes.ts';

const beginMs = 1_700_000_000_000;
const settings = { ...defaultSettings, deliver: 'live' as const };
const flags =
  '  - { reason: 9, name: large, on: [operation], when: order.amount > 100, then: { action: 4, message: x } }\n';
const closes = '  - { reason: 5, name: closes, on: [operation], when: order.amount == 1, then: { action: 2 } }\n';

function policyOf(rules: string): Policy {
  const loaded = loadPolicy([{ path: 'rules.yaml', text: `rules:\n${rules}` }]);
  if (!loaded.ok) throw new Error('the policy checks');
  return loaded.policy;
}

function laneOf(policy: Policy): BacktestWorker {
  const lane = new BacktestWorker({ policy, version: 1, fromMs: 0, toMs: Infinity, isChained: false });
  lane.begin({ offset: 0, logTimeMs: beginMs as EpochMs, settings, labelsAtOnce: false });
  return lane;
}

function at(offset: number): { readonly offset: number; readonly logTimeMs: EpochMs } {
  return { offset, logTimeMs: (beginMs + offset * secondMs) as EpochMs };
}

function event(offset: number, what: Extract<LaneRecord, { kind: 'event' }>['event']): LaneRecord {
  const rest = { enrichment: { facts: {} }, subject: 'subject', bodyHash: `body ${offset}`, retryOf: undefined };
  return { kind: 'event', ...at(offset), event: what, ...rest };
}

function pay(offset: number, amount: string): LaneRecord {
  const order = { amount: amount as DecimalText, currency: 'MXN' };
  return event(offset, { kind: 'operation', channelId: 1, account: { client: 'ana', session: 's' }, order });
}

const closed: LaneRecord = {
  kind: 'outcome',
  ...at(2),
  subject: 'subject',
  outcome: { offset: 1, reason: 5, position: 0, action: 2, result: 'executed' },
};
const login = event(0, { kind: 'login', channelId: 1, user: 'ana', session: 's', publicIp: '203.0.113.7', data: '' });

function take(lane: BacktestWorker, records: readonly LaneRecord[]): WorkerReport {
  const writer = new HistoryWriter();
  for (const record of records) packRecord(writer, record, undefined);
  return lane.take(writer.take());
}

function changesOf(rules: { readonly candidate: string; readonly live: string }, end: readonly LaneRecord[]): object {
  const [candidate, live] = [laneOf(policyOf(rules.candidate)), laneOf(policyOf(rules.live))];
  const changes = new ChangeTally();
  for (const batch of [[login, pay(1, '1'), closed, pay(3, '200')], end])
    changes.add(take(candidate, batch), take(live, batch));
  changes.end();
  return changes.result();
}

const decidesAll: LaneRecord = { kind: 'tick', ...at(30) };

it.each([
  ['immediately by the candidate', { candidate: flags, live: flags + closes }],
  ['immediately by the live policy', { candidate: flags + closes, live: flags }],
])('does not count an event that both flag, decided %s and a batch later by the other', (_, rules) => {
  const events = rules.live === flags ? [0, 1] : [1, 0];
  expect(changesOf(rules, [decidesAll])).toMatchObject({
    newlyFlagged: { events: events[1] },
    noLongerFlagged: { events: events[0] },
  });
});

it('counts events that still wait with the other policy when the source ends', () => {
  expect(changesOf({ candidate: flags, live: flags + closes }, [])).toMatchObject({ newlyFlagged: { events: 1 } });
});
