import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { healthChecks } from '../../src/decide/health-checks.ts';

const ground = {
  pool: { query: () => Promise.resolve({ rowCount: 1 }) } as unknown as Pick<Pool, 'query'>,
  workspaces: () => [],
  staleMs: () => 0,
  storesEvents: () => true,
};
const decider = { checkMoving: () => {}, isReady: () => true, isPaused: () => false, isFailing: () => false };

it('a process that only accepts events has no checks of the engine', () => {
  const names = (of: Parameters<typeof healthChecks>[0]): readonly string[] => healthChecks(of).map(({ name }) => name);
  expect(names({ ...ground, decider: undefined })).toEqual(['database', 'workspaces', 'log']);
  expect(names({ ...ground, decider })).toEqual(['database', 'workspaces', 'log', 'engine', 'policies', 'hosts']);
});
