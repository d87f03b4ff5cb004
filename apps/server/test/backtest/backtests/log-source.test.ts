import { expect, it } from 'vitest';
import { LogSource } from '../../../src/backtest/backtests/log-source.ts';
import { testWorkspace } from '../../deliver/support/workspace-fixture.ts';

const workspace = testWorkspace({ settings: { sessionGraceSeconds: 7 } });
/** Settings and notes ask for no label. */
const pool = undefined as never;
const deps = { pool, log: { read: async () => [] }, subjects: { bySubject: async () => new Map() } };
const none: ReadonlySet<number> = new Set();

it('a log that is kept whole tells its settings itself', () => {
  expect(new LogSource(deps, workspace, { start: 0, end: 9, quarantined: none }).settings).toBeUndefined();
});

it('a log whose beginning is removed begins under the present settings, and says what is missing', () => {
  const source = new LogSource(deps, workspace, { start: 5, end: 9, quarantined: none });
  expect(source.settings).toMatchObject({ sessionGraceMs: 7_000, deliver: 'live' });
  expect(source.notes()).toHaveLength(1);
});
