/**
 * The end of a run of fraud beyond the rows that an entity keeps: off by at most `bucketShareMax` of what is newer.
 * Bounds are small here; the rule for merging buckets is the same.
 */
import { hourMs, minuteMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { bucketShareMax } from '../../src/limits.ts';
import type { EventRecord } from '../../src/record.ts';
import { newState } from '../../src/state.ts';
import { LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';

const policy = policyOf(`
features:
  run: { fraudRun: true, after: 1h, by: payee.id, over: 30d }
rules:
  - { reason: 1, name: shows, when: run >= 0, then: { action: 3, message: m }, mode: shadow }
`);
const bounds = { rowsMax: 64, exactBucketsMax: 16, distinctValuesMax: 512, sweepRowsMin: 8 };
const gapMs = 5 * minuteMs;
const events = 4_000;
/** Runs of growing length, each ended by one legitimate event. */
const isClear = (at: number): boolean => Number.isInteger(Math.sqrt(at / 7));

it('is off by at most a hundredth of what is newer, and exact among the rows', () => {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  const state = newState({ complete: true, bounds });
  run(log.records, state);
  const lengths: number[] = [];
  for (let at = 0; at < events; at++) {
    log.wait(gapMs);
    const offset = log.operation('ana', { payee: '100' });
    const { decisions } = run(log.records.slice(-1), state);
    const shown = Number(shownBy(decisions.get(offset))['run']);
    const known = at - hourMs / gapMs;
    let exact = 0;
    while (known - exact >= 0 && !isClear(known - exact)) exact++;
    const newer = at - known + exact;
    expect(Math.abs(shown - exact)).toBeLessThanOrEqual(newer <= bounds.rowsMax ? 0 : newer * bucketShareMax);
    lengths.push(exact);
    if (isClear(at)) continue;
    log.append({ kind: 'label', label: 'fraud', event: log.records[offset] as EventRecord });
    run(log.records.slice(-1), state);
  }
  expect(Math.max(...lengths)).toBeGreaterThan(bounds.rowsMax * 4);
});
