/** Labels next to imported events are available to features as soon as the event is decided. */
import type { DecimalText, EpochMs } from '@ringfence/contract';
import { dayMs } from '@ringfence/contract';
import { defaultSettings, type EngineRecord, type Label } from '@ringfence/engine';
import { loadPolicy } from '@ringfence/policy';
import { expect, it } from 'vitest';
import { BacktestWorker } from '../../../src/backtest/backtests/backtest-worker.ts';
import { packRecord } from '../../../src/history/record-codec.ts';
import { HistoryWriter } from '../../../src/history/history-bytes.ts';

const loaded = loadPolicy([
  {
    path: 'rules.yaml',
    text: `features:
  clientFraud: { fraudShare: true, after: 1d, by: client.id, over: 30d }
rules:
  - { reason: 1, name: fraud, when: clientFraud > 0.4, then: { action: 4, message: x } }
`,
  },
]);

const beginMs = 1_700_000_000_000;

function operation(day: number, isWithSession: boolean): Extract<EngineRecord, { kind: 'event' }> {
  const session = isWithSession ? { session: 's' } : {};
  return {
    kind: 'event',
    offset: day,
    logTimeMs: (beginMs + day * dayMs) as EpochMs,
    event: {
      kind: 'operation',
      channelId: 1,
      account: { client: 'ana', ...session },
      order: { amount: '1' as DecimalText, currency: 'MXN' },
    },
    enrichment: { facts: {} },
    subject: 'subject',
    bodyHash: `body ${day}`,
    retryOf: undefined,
  };
}

function firedOn(labelsAtOnce: boolean, isWithSession: boolean): readonly number[] {
  if (!loaded.ok) throw new Error('the policy checks');
  const lane = new BacktestWorker({ policy: loaded.policy, version: 1, fromMs: 0, toMs: Infinity, isChained: false });
  lane.begin({
    offset: 0,
    logTimeMs: beginMs as EpochMs,
    settings: { ...defaultSettings, deliver: 'live' },
    labelsAtOnce,
  });
  const writer = new HistoryWriter();
  const labels: readonly (Label | undefined)[] = ['fraud', 'legitimate', undefined, undefined, undefined];
  labels.forEach((label, day) => packRecord(writer, operation(day, isWithSession), label));
  packRecord(writer, { kind: 'tick', offset: 9, logTimeMs: (beginMs + 9 * dayMs) as EpochMs }, undefined);
  return lane
    .take(writer.take())
    .fired.filter(({ rules }) => rules.length > 0)
    .map(({ offset }) => offset);
}

it.each([false, true])('in a history, also when operations wait for a login (%s)', (isWithSession) => {
  expect(firedOn(true, isWithSession)).toEqual([1, 2]);
});

it('not in a log, which has its own label records', () => {
  expect(firedOn(false, false)).toEqual([]);
});
