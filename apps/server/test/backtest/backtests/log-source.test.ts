import { expect, it } from 'vitest';
import { LogSource } from '../../../src/backtest/backtests/log-source.ts';
import { testWorkspace } from '../../deliver/support/workspace-fixture.ts';

const workspace = testWorkspace({ settings: { sessionGraceSeconds: 7 } });
/** Settings and notes read no labels. */
const pool = undefined as never;
const deps = { pool, log: { read: async () => [] }, subjects: { bySubject: async () => new Map() } };
const none: ReadonlySet<number> = new Set();

it('a complete log contains its own settings', () => {
  expect(new LogSource(deps, workspace, { start: 0, end: 9, quarantined: none }).settings).toBeUndefined();
});

it('a log without its beginning uses the present settings, and reports what is missing', () => {
  const source = new LogSource(deps, workspace, { start: 5, end: 9, quarantined: none });
  expect(source.settings).toMatchObject({ sessionGraceMs: 7_000, deliver: 'live' });
  expect(source.notes()).toHaveLength(1);
});
