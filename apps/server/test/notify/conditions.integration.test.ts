/** Goal: each condition begins at its threshold, stays until half of it, and counts nothing else. */
import { hourMs, minuteMs } from '@ringfence/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DestinationSettings } from '../../src/notifications/notification-settings.ts';
import { WorkspaceConditions } from '../../src/notify/conditions.ts';
import type { WorkspaceSettings } from '../../src/tenancy/workspaces/workspace.ts';
import { makeScene, type Scene } from '../decide/support.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

/** A Friday, 18:00 in the time zone of the workspace. */
const nowMs = Date.parse('2026-11-27T18:00:00Z');

let home: Installation;
let scene: Scene;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

interface Given {
  readonly atMs?: number;
  readonly lagMs?: number;
  readonly told?: readonly string[];
  readonly alerts?: WorkspaceSettings['alerts'];
}

/** The keys of what is the case, with its facts. */
async function found(events: DestinationSettings['events'], given: Given = {}): Promise<Record<string, object>> {
  const { id, name, environment, settings } = scene.workspace;
  const { alerts, lagMs = 0, atMs = nowMs } = given;
  const client = await scene.pool.connect();
  try {
    const conditions = new WorkspaceConditions({
      client,
      workspace: { id, settings: { ...settings, timezone: 'UTC', ...(alerts === undefined ? {} : { alerts }) } },
      nowMs: atMs,
      backlogs: async () => [{ id, name, environment, behind: 1, quarantined: 0, lagMs }],
    });
    const all = await conditions.of(events, new Set(given.told));
    return Object.fromEntries(all.map(({ key, facts }) => [key, facts]));
  } finally {
    client.release();
  }
}

it('decisions are late after the seconds, and in time again below half of them', async () => {
  const events = { engineLag: { seconds: 60 } };
  expect(await found(events, { lagMs: 59_999 })).toEqual({});
  expect(await found(events, { lagMs: 60_000 })).toEqual({ engineLag: { seconds: 60 } });
  expect(await found(events, { lagMs: 30_000, told: ['engineLag'] })).toEqual({ engineLag: { seconds: 30 } });
  expect(await found(events, { lagMs: 29_999, told: ['engineLag'] })).toEqual({});
});

it('a webhook declines too often from ten answers of the last hour on', async () => {
  const events = { webhook: { notExecutedPercent: 50 } };
  const count = (key: string, answers: number, agoMs: number) =>
    scene.pool.query(
      `insert into console_count (workspace_id, span, at, name, key, count) values ($1, 60, $2, 'action', $3, $4)`,
      [scene.workspace.id, new Date(nowMs - agoMs), key, answers],
    );
  await count('notExecuted', 100, hourMs + minuteMs);
  await count('notExecuted', 5, 10 * minuteMs);
  await count('executed', 4, 9 * minuteMs);
  expect(await found(events)).toEqual({});
  await count('executed', 1, 8 * minuteMs);
  expect(await found(events)).toEqual({ 'webhook:declined': { declined: 5, answered: 10 } });
  expect(await found({ webhook: { notExecutedPercent: 51 } })).toEqual({});
  expect(await found({ webhook: { notExecutedPercent: 100 } }, { told: ['webhook:declined'] })).not.toEqual({});
});

it('the end of a hold has not arrived while its action waits, failed or was declined', async () => {
  const states = ['waiting', 'due', 'leased', 'notExecuted', 'dead', 'expired', 'executed', 'erased', 'dropped'];
  for (const [place, state] of states.entries()) {
    await scene.pool.query(
      `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload,
                           format, content_hash, state, decided_at, expires_at, lifetime, due_at, resolves)
       values ($1, $2, 1, $3, 900, 0, 8, false, 1, '', 'text', '', $4, $5, $5, '1 hour', $5, 'act_hold')`,
      [`act_${state}`, scene.workspace.id, place, state, new Date(nowMs - 5 * minuteMs)],
    );
  }
  const after = (minutes: number) => found({ resolution: { minutes } });
  expect(await after(6)).toEqual({});
  expect(Object.keys(await after(5))).toEqual(states.slice(0, 6).map((state) => `resolution:act_${state}`));
});

it('the oldest alert is overdue when the workspace says so, of which only business hours count', async () => {
  await scene.pool.query(
    `insert into alert (workspace_id, id, state, rank, risk, decisions, reasons, first_offset, last_offset, opened_at, last_at)
     values ($1, 'alr_abcdefghijkl', 'open', 1, 80, 1, '{900}', 1, 1, $2, $2)`,
    [scene.workspace.id, new Date(nowMs - 90 * minuteMs)],
  );
  const told = { queueAge: { minutes: 90, open: 1 } };
  expect(await found({ queueAge: {} })).toEqual(told);
  expect(await found({ queueAge: { minutes: 91 } })).toEqual({});
  expect(await found({ queueAge: {} }, { alerts: { dueMinutes: 120 } })).toEqual({});
  expect(await found({ queueAge: { minutes: 90 } }, { alerts: { dueMinutes: 120 } })).toEqual(told);
  const businessHours = { days: ['mon', 'fri'] as const, from: '09:00', to: '17:00' };
  const alerts = { dueMinutes: 60, businessHours };
  expect(await found({ queueAge: {} }, { alerts })).toEqual({});
  const monday = Date.parse('2026-11-30T09:29:00Z');
  expect(await found({ queueAge: {} }, { alerts, atMs: monday })).toEqual({});
  expect(Object.keys(await found({ queueAge: {} }, { alerts, atMs: monday + minuteMs }))).toEqual(['queueAge']);
});
