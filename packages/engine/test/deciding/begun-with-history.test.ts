/**
 * Features that begin with history. Goal: after the switch they equal features that counted from the start, and
 * existing features keep their state. Method: a seeded history is decided once by a policy with all features from the
 * beginning, and once by one that adds some of them later, with a backfill of the same records.
 */
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import type { EngineRecord } from '../../src/record.ts';
import { type EngineState, newState } from '../../src/state.ts';
import { foldedHistory } from '../folded-history.ts';
import { graceMs, LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';
import { prng } from '../prng.ts';
import { bytesOf } from '../state-bytes.ts';

const old = `  clientCount: { count: true, by: client.id, over: 1d, on: operation }
  payeeSum: { sum: order.amount, by: payee.id, over: 1d }`;
const added = `  clientMedian: { median: order.amount, by: client.id, over: 7d }
  clientPayees: { distinct: payee.id, by: client.id, over: 7d }
  payeeFirst: { firstSeen: true, by: [payee.id] }
  payeeFraud: { fraudShare: true, after: 1h, by: payee.id, over: 7d }
  clientAvg: { avg: order.amount, by: client.id, over: 7d, excluding: this }
  payeeSumBefore: { sum: order.amount, by: payee.id, over: 1d, excluding: this }`;
const names = [
  'clientCount',
  'payeeSum',
  'clientMedian',
  'clientPayees',
  'payeeFirst',
  'payeeFraud',
  'clientAvg',
  'payeeSumBefore',
];

function policyWith(features: string, shown: readonly string[]) {
  const when = shown.map((name) => `(has(${name}) || !has(${name}))`).join(' && ');
  return policyOf(`features:
${features}
rules:
  - { reason: 1, name: shows, on: [operation], when: '${when}', then: { action: 3, message: m }, mode: shadow }
`);
}

const before = policyWith(old, names.slice(0, 2));
const after = policyWith(`${old}\n${added}`, names);

/** Payments with occasional labels; the switch is in the middle. */
function historyOf(seed: number): { readonly log: LogBuilder; readonly switchAt: number } {
  const random = prng(seed);
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(before);
  const pay = (): void => {
    log.wait(random(3_600_000));
    const offset = log.operation(['ana', 'bob'][random(2)], {
      payee: String(random(3)),
      amount: String(1 + random(90)),
      statedMs: -random(7_200_000),
    });
    const event = log.records[offset] as Extract<EngineRecord, { kind: 'event' }>;
    if (random(4) === 0) log.append({ kind: 'label', label: 'fraud', event });
  };
  for (let i = 0; i < 80; i++) pay();
  // The last one waits for its login until the switch.
  log.settings();
  pay();
  log.wait(graceMs);
  const switchAt = log.policy(after, 2);
  log.settings({ sessionGraceMs: 0 });
  for (let i = 0; i < 80; i++) pay();
  return { log, switchAt };
}

/** The backfill of the new features over all records before the switch. */
function foldAt({ records }: LogBuilder, switchAt: number, live: EngineState): EngineState {
  const switchMs = records[switchAt]!.logTimeMs;
  return foldedHistory({ policy: after, records: records.slice(0, switchAt), live, switchMs });
}

function shown(records: readonly EngineRecord[], state: EngineState, from: number): unknown {
  return [...run(records, state).decisions.values()].filter(({ offset }) => offset > from).map(shownBy);
}

const history = { fromOffset: 0, sinceMs: 0, segments: [], settings: undefined as never };

describe('features that begin with history', () => {
  it.each([1, 2, 3, 4, 5])('equal features that counted from the start (seed %i)', (seed) => {
    const { log, switchAt } = historyOf(seed);
    const always = log.records.map((record) =>
      record.kind === 'policy' && record.version === 1 ? { ...record, policy: after } : record,
    );
    const expected = shown(always, newState({ complete: true }), switchAt);

    const live = newState({ complete: true });
    run(log.records.slice(0, switchAt), live);
    const at = log.records[switchAt] as Extract<EngineRecord, { kind: 'policy' }>;
    run([{ ...at, history, folded: foldAt(log, switchAt, live) }], live);

    // Through a checkpoint: the backfilled state is stored like everything else.
    const { globals, entities } = checkpointOf(live);
    const restored = restoreState(globals, after, { complete: true });
    supply(restored, entities);
    expect(bytesOf(restored)).toEqual(bytesOf(live));
    const rest = log.records.slice(switchAt + 1);
    expect(shown(rest, live, switchAt)).toEqual(expected);
    expect(shown(rest, restored, switchAt)).toEqual(expected);
  });

  it('ignore the label of an event before their history', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.policy(before);
    const old = log.records[log.operation('ana', { payee: '1' })] as Extract<EngineRecord, { kind: 'event' }>;
    log.wait(60_000);
    const fromOffset = log.operation('ana', { payee: '1' });
    log.append({ kind: 'label', label: 'fraud', event: old });
    log.wait(7_200_000);
    const live = newState({ complete: true });
    run(log.records, live);
    const records = [log.records[0]!, ...log.records.slice(fromOffset)];
    const fold = foldedHistory({ policy: after, records, live, switchMs: log.nowMs });
    log.append({ kind: 'policy', version: 2, policy: after, history: { ...history, fromOffset }, folded: fold });
    const last = log.operation('ana', { payee: '1' });
    const { decisions } = run(log.records.slice(-2), live);
    expect(shownBy(decisions.get(last))['payeeFraud']).toBe('0');
  });

  it('require their backfilled state', () => {
    const log = new LogBuilder();
    log.append({ kind: 'policy', version: 1, policy: after, history });
    expect(() => run(log.records)).toThrow(/backfilled state/);
  });

  it('need no backfilled state if no feature is new', () => {
    const log = new LogBuilder();
    log.policy(after);
    log.append({ kind: 'policy', version: 2, policy: after, history });
    expect(run(log.records).state.plan.version).toBe(2);
  });

  it('share no group with others, and are removed when their client is erased', () => {
    const { log, switchAt } = historyOf(9);
    const live = newState({ complete: true });
    run(log.records.slice(0, switchAt), live);
    const at = log.records[switchAt] as Extract<EngineRecord, { kind: 'policy' }>;
    run([{ ...at, history, folded: foldAt(log, switchAt, live) }], live);
    const ofAna = (): readonly string[] => bytesOf(live).filter((line) => line.includes('subject of ana'));
    expect(ofAna().length).toBeGreaterThan(2);
    run([{ kind: 'erase', subject: 'subject of ana', offset: 10_000, logTimeMs: live.logTimeMs as never }], live);
    expect(ofAna()).toEqual([]);
  });
});
