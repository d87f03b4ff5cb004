import { newState } from '@ringfence/engine';
import { expect, it } from 'vitest';
import { PolicyVersionError } from '../../../src/policies/stored-policy.ts';
import { BackfillRunner, type BackfillDeps } from '../../../src/decide/feature-backfill/backfill-runner.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';

const history = { fromOffset: 0, sinceMs: 0, segments: [], settings: {} };
const row = { version: 3, history, state: 'folding', done: 0, total: 10, error: null, asked_at: new Date() };
const empty = { features: [], ratios: [], rules: [], lists: [], trusting: new Set() };

/** A starter that finds one version to backfill, and the statements that it executed. */
function starter(change: object): { turn: () => Promise<boolean>; asked: string[] } {
  const asked: string[] = [];
  const query = async (text: string): Promise<object> => {
    asked.push(text);
    return text.startsWith('select') ? { rows: [row], rowCount: 1 } : { rows: [], rowCount: 1 };
  };
  const policies = { exact: async () => empty };
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const pool = { query, connect: async () => ({ query, release: () => {} }) };
  const deps = { pool, now: () => Date.now(), logger, policies, fence: async () => {}, ...change };
  const made = new BackfillRunner(deps as unknown as BackfillDeps, { id: 'w' } as Workspace, new Set());
  return { turn: () => made.turn(newState({ complete: true }), 5), asked };
}

const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};
const isGivenUp = (asked: readonly string[]): boolean => asked.some((text) => text.includes("'failed'"));

it('marks a version as failed that this release refuses, and does not stop the host', async () => {
  const { turn, asked } = starter({ policies: { exact: failing(new PolicyVersionError(3, 'does not check')) } });
  expect([await turn(), isGivenUp(asked)]).toEqual([false, true]);
});

it('fails no version because the database is briefly unavailable', async () => {
  const { turn, asked } = starter({ log: { read: failing(new Error('Connection terminated unexpectedly')) } });
  await expect(turn()).rejects.toThrow('Connection terminated');
  expect(isGivenUp(asked)).toBe(false);
});

it('marks a version as failed when its backfill fails', async () => {
  const { turn, asked } = starter({ log: { read: failing(new TypeError('a mistake')) } });
  expect([await turn(), isGivenUp(asked)]).toEqual([false, true]);
});
