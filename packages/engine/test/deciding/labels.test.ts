import { dayMs, hourMs } from '@ringfence/contract';
import { formatDuration } from '@ringfence/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import type { EventRecord } from '../../src/record.ts';
import { type EngineState, newState } from '../../src/state.ts';
import { step } from '../../src/step.ts';
import { graceMs, LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';
import { bytesOf } from '../state-bytes.ts';

type StoredEntity = ReturnType<typeof checkpointOf>['entities'][number];

const policy = policyOf(`
features:
  payeeFraud: { fraudShare: true, after: 2d, by: payee.id, over: 30d, where: 'order.amount > 5' }
  payeeRun: { fraudRun: true, after: 2d, by: payee.id, over: 30d, where: 'order.amount > 5' }
  payeeRunAge: { fraudRunAge: true, after: 2d, by: payee.id, over: 30d, where: 'order.amount > 5' }
  payeeSinceFraud: { sinceFraud: true, after: 2d, by: payee.id, over: 30d, where: 'order.amount > 5' }
  payeeSinceClear: { sinceClear: true, after: 2d, by: payee.id, over: 30d, where: 'order.amount > 5' }
rules:
  - { reason: 1, name: shows, when: 'payeeRun >= 0 && [has(payeeFraud), has(payeeRunAge), has(payeeSinceFraud), has(payeeSinceClear), true].exists(known, known)', then: { action: 3, message: m }, mode: shadow }
`);

function begun(): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  return log;
}

function label(log: LogBuilder, offset: number, label: 'fraud' | 'legitimate'): void {
  log.append({ kind: 'label', label, event: log.records[offset] as EventRecord });
}

function lastShare(log: LogBuilder): string | undefined {
  const { decisions } = run(log.records);
  return shownBy([...decisions.values()].at(-1))['payeeFraud'];
}

describe('the share of fraud', () => {
  it('counts what is older than the delay, and nothing newer', () => {
    const log = begun();
    const offset = log.operation('ana');
    label(log, offset, 'fraud');
    log.operation('bob');
    log.wait(dayMs);
    log.operation('ana');
    expect(lastShare(log)).toBeUndefined();
    log.wait(dayMs + hourMs);
    log.operation('carl');
    expect(lastShare(log)).toBe('0.5');
    log.wait(dayMs);
    log.operation('carl');
    expect(Number(lastShare(log))).toBeCloseTo(1 / 3, 12);
  });

  it('allows a label to be withdrawn, and counts a repeated one once', () => {
    const log = begun();
    const [first, second] = [log.operation('ana'), log.operation('bob')];
    for (const offset of [first, first, second]) label(log, offset, 'fraud');
    label(log, second, 'legitimate');
    log.wait(3 * dayMs);
    log.operation('ana');
    expect(lastShare(log)).toBe('0.5');
  });

  it('ignores labels of events that it never counted: filtered out, before the feature, unreadable', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    const before = log.operation('ana');
    log.wait(hourMs);
    log.policy(policy);
    const small = log.operation('ana', { amount: '1' });
    log.operation('ana');
    for (const offset of [before, small]) label(log, offset, 'fraud');
    log.append({ kind: 'label', label: 'fraud', event: undefined });
    log.wait(3 * dayMs);
    log.operation('ana');
    expect(lastShare(log)).toBe('0');
  });

  it('accepts the label of an operation that waited for its login while the policy was activated', () => {
    const log = new LogBuilder();
    log.settings();
    const waited = log.operation('ana', { session: 's' });
    log.wait(graceMs - 1);
    log.policy(policy);
    log.wait(1).tick();
    label(log, waited, 'fraud');
    log.wait(3 * dayMs);
    log.operation('ana');
    log.wait(graceMs).tick();
    expect(lastShare(log)).toBe('1');
  });

  it('ignores the label of an event in the same millisecond as the policy, before it', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    const before = log.operation('ana', { statedMs: -1 });
    log.policy(policy);
    log.operation('ana');
    label(log, before, 'fraud');
    log.wait(3 * dayMs);
    log.operation('ana');
    expect(lastShare(log)).toBe('0');
  });

  it('requests the entity of an event if it was evicted', () => {
    const log = begun();
    const offset = log.operation('ana');
    const { state } = run(log.records);
    const { globals, entities } = checkpointOf(state);
    const cold = restoreState(globals, policy, { complete: false });
    label(log, offset, 'fraud');
    const asked = step(cold, log.records.at(-1)!);
    expect(asked).toMatchObject({ kind: 'need' });
    supply(cold, entities);
    expect(step(cold, log.records.at(-1)!)).toMatchObject({ kind: 'done' });
    const after = checkpointOf(cold).entities.map(({ key }) => key);
    expect(after).toEqual(['0/B1/100']);
  });
});

interface Change {
  readonly gapMs: number;
  readonly payee: string;
  readonly amount: string;
  /** Which earlier event is then labelled, counted backwards, and how. */
  readonly labelled: number | undefined;
  readonly isFraud: boolean;
  readonly restart: boolean;
}

const change = fc.record<Change>({
  gapMs: fc.integer({ min: 0, max: 12 * hourMs }),
  payee: fc.constantFrom('100', '200'),
  amount: fc.constantFrom('10', '1'),
  labelled: fc.option(fc.nat(30), { nil: undefined, freq: 1 }),
  isFraud: fc.boolean(),
  restart: fc.boolean(),
});

/** Few events, days apart, about one or two payees, with occasional restarts. */
const shortChanges = fc.array(
  fc.record({
    payee: fc.constantFrom('100', '100', '200'),
    amount: fc.constantFrom('10', '10', '1'),
    isFraud: fc.boolean(),
    gapMs: fc.integer({ min: 0, max: 6 * dayMs }),
    labelled: fc.option(fc.nat(4), { nil: undefined, freq: 2 }),
    restart: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  }),
  { minLength: 3, maxLength: 10, size: 'max' },
);
const longChanges = fc.array(change, { minLength: 20, maxLength: 120, size: 'max' });

/** Small, so that rows become buckets; count and sum are then off by at most half a percent. */
const bounds = { rowsMax: 64, exactBucketsMax: 1_024, distinctValuesMax: 512, sweepRowsMin: 8 };

/** A few runs over long histories, 10,000 with RINGFENCE_PROPERTY_RUNS=10000 (see docs/decisions/0136). */
const runs = Number(process.env['RINGFENCE_PROPERTY_RUNS'] ?? 30);

describe('labels', () => {
  it.each([
    ['in 10,000 short histories', { given: undefined, changes: shortChanges, numRuns: 10_000 }],
    ['in rows', { given: undefined, changes: longChanges, numRuns: runs }],
    ['in buckets', { given: bounds, changes: longChanges, numRuns: runs }],
  ] as const)(
    'give the share computed by hand, %s, and the same after a restart',
    (_, { given, changes, numRuns }) => {
      fc.assert(
        fc.property(changes, (all) => {
          const log = begun();
          let state: EngineState = newState({ complete: true, ...(given === undefined ? {} : { bounds: given }) });
          run(log.records, state);
          const stored = new Map<string, StoredEntity>();
          const seen: (Seen & { payee: string; offset: number })[] = [];
          for (const { gapMs, payee, amount, labelled, isFraud, restart } of all) {
            log.wait(gapMs);
            const offset = log.operation('ana', { payee, amount });
            const decision = run(log.records.slice(-1), state).decisions.get(offset);
            const old = seen.filter(
              (one) => one.payee === payee && one.atMs <= log.nowMs - 2 * dayMs && one.atMs > log.nowMs - 30 * dayMs,
            );
            expect(shownBy(decision)).toEqual(byHand(old, log.nowMs));
            if (amount === '10') seen.push({ atMs: log.nowMs, payee, isFraud: false, offset });
            const event = labelled === undefined ? undefined : seen.at(-1 - labelled);
            if (event !== undefined) {
              label(log, event.offset, isFraud ? 'fraud' : 'legitimate');
              event.isFraud = isFraud;
              run(log.records.slice(-1), state);
            }
            if (restart) state = restarted(state, stored, given);
          }
        }),
        { seed: 1, numRuns },
      );
    },
    3_600_000,
  );
});

interface Seen {
  atMs: number;
  isFraud: boolean;
}

/** What the features over labels show, of the events that are known, oldest first. */
function byHand(known: readonly Seen[], nowMs: number): Readonly<Record<string, string>> {
  const frauds = known.filter(({ isFraud }) => isFraud);
  const clear = known.findLast(({ isFraud }) => !isFraud);
  const run = frauds.filter(({ atMs }) => atMs > (clear?.atMs ?? 0));
  const since = (one: Seen | undefined): string | undefined =>
    one === undefined ? undefined : formatDuration(nowMs - one.atMs);
  const shown = {
    payeeFraud: known.length === 0 ? undefined : (frauds.length / known.length).toString(),
    payeeRun: run.length.toString(),
    payeeRunAge: since(run[0]),
    payeeSinceFraud: since(frauds.at(-1)),
    payeeSinceClear: since(clear),
  };
  return Object.fromEntries(
    Object.entries(shown).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}

/** The state as restored from everything that was ever stored. */
function restarted(
  state: EngineState,
  stored: Map<string, StoredEntity>,
  given: typeof bounds | undefined,
): EngineState {
  const { globals, entities } = checkpointOf(state);
  for (const entity of entities) stored.set(entity.key, entity);
  const back = restoreState(globals, policy, { complete: true, ...(given === undefined ? {} : { bounds: given }) });
  supply(back, [...stored.values()]);
  expect(bytesOf(back)).toEqual(bytesOf(state));
  return back;
}
