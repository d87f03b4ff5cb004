/** Retention rounds: one process at a time, concurrent readers, and failures. */
import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BaseMovedError } from '../../../src/decide/base-rows.ts';
import { readRetentionAge } from '../../../src/decide/retention/kept-since.ts';
import { LogBase } from '../../../src/decide/retention/log-base.ts';
import { marksBetween } from '../../../src/decide/retention/marks.ts';
import { whenAlone, whileAllIsKept } from '../../../src/decide/retention/retention-lock.ts';
import { runRounds } from '../../../src/decide/retention/rounds.ts';
import { PolicyCache } from '../../../src/policies/policy-cache.ts';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { readWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { RetentionKit } from './support/retention-kit.ts';
import { storedStates } from '../../support/stored-states.ts';

const calm = `
rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 1000, then: { action: 2 } }
`;

let kit: RetentionKit;
beforeEach(async () => {
  kit = await RetentionKit.make();
});
afterEach(() => kit.close());

describe('a round', () => {
  it('runs in one process at a time, and never while the whole log is being read', async () => {
    await kit.burst('ana');
    await kit.decide();
    await whileAllIsKept(kit.scene.pool, async () => {
      expect(await kit.round()).toBe('elsewhere');
    });
    expect(kit.purges).toBe(0);
    expect(await kit.round()).toBe('done');
    expect(kit.purges).toBe(1);
  });

  it('makes a person wait no longer than the limit', async () => {
    await whenAlone(kit.scene.pool, async () => {
      const reading = whileAllIsKept(kit.scene.pool, () => Promise.resolve('read'), 0);
      await expect(reading).rejects.toMatchObject({ code: 'rate.limited' });
    });
    expect(await whileAllIsKept(kit.scene.pool, () => Promise.resolve('read'), 0)).toBe('read');
  });

  it('is retried within minutes after a read, so that overlapping readers do not starve it', async () => {
    const waits: number[] = [];
    const stop = new AbortController();
    const goneBy = Promise.withResolvers<void>();
    const reading = whileAllIsKept(kit.scene.pool, () => goneBy.promise);
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      if (waits.length === 3) goneBy.resolve();
      if (waits.length === 3) await reading;
      if (waits.length === 4) stop.abort();
    };
    const retention = await kit.retention();
    const logger = { error: () => {} };
    await runRounds({ round: (until) => retention.round(until), wait, logger }, stop.signal);
    expect(waits.slice(1, 3).every((ms) => ms <= 5 * minuteMs)).toBe(true);
    expect(waits.at(-1)).toBe(hourMs); // the round ran
    expect(kit.purges).toBe(1);
  });

  it('does not move a base that another process has moved meanwhile', async () => {
    await kit.live(40);
    const { pool, log, subjects, workspace, logged } = kit.scene;
    const logger = {
      info: () => {},
      warn: () => {},
      error: (fields: object) => void logged.push({ level: 'error', fields, message: '' }),
    };
    const present = await readWorkspace(kit.home.deps, workspace.id);
    const base = await LogBase.open({ pool, log, subjects, policies: new PolicyCache(pool), logger }, present);
    const to = (await marksBetween(pool, workspace.id, { after: base.nextOffset, to: Number.MAX_SAFE_INTEGER })).at(
      -1,
    )!;
    const before = await storedStates(kit.scene, 'base');
    await pool.query(`update log_base set next_offset = next_offset + 1`);
    // On entities that another process has moved on, its decisions differ or its engine throws.
    await pool.query(`update decision_mark set digest = decode(repeat('ab', 32), 'hex')`);
    await expect(base.moveTo(to, Infinity, new AbortController().signal)).rejects.toThrow(BaseMovedError);
    expect(await storedStates(kit.scene, 'base')).toEqual(before);
    expect((await pool.query(`select from_offset, to_offset from irreproducible_range`)).rows).toEqual([]);
  });

  it('stops when asked to, and the next one continues', async () => {
    await kit.live(20);
    kit.clockMs += 60 * dayMs;
    const stopped = new AbortController();
    stopped.abort();
    expect(await (await kit.retention()).round(stopped.signal)).toBe('more');
    expect(await kit.eventDays()).not.toEqual([]);
    expect(await kit.round()).toBe('done');
    expect(await kit.eventDays()).toEqual([]);
  });

  it('rotates the device token key when a retention period is set', async () => {
    await kit.round();
    await kit.keep({ keepDeviceTokens: 'forever' });
    await kit.round();
    expect(kit.renewals).toEqual([]);
    await kit.keep({ keepDeviceTokens: '14d' });
    await kit.round();
    expect(kit.renewals).toEqual([[kit.scene.workspace.id, 14 * dayMs]]);
  });

  it('records when it last left no expired data', async () => {
    await kit.burst('ana');
    await kit.decide();
    await kit.round();
    kit.clockMs += minuteMs;
    expect(await readRetentionAge(kit.scene.pool, kit.clockMs)).toBe(minuteMs);
  });

  it('quarantines a record on which the engine fails three times, and moves past it', async () => {
    const payload = Buffer.from('not sealed at all, and long enough');
    await kit.scene.log.append(kit.scene.workspace.id, { kind: 'login', payload });
    await kit.burst('ana');
    await kit.decide();
    await kit.scene.pool.query('delete from quarantine'); // as if the earlier engine had not failed on it
    await kit.round();
    kit.clockMs += 31 * dayMs;
    for (let fails = 0; fails < 3; fails++) await kit.round();
    expect(await readRetentionAge(kit.scene.pool, kit.clockMs)).toBe(31 * dayMs);
    expect(await kit.count('event')).toBe(8);
    expect(await kit.round()).toBe('done');
    kit.clockMs += dayMs;
    await kit.round();
    expect(await kit.count('event')).toBe(0);
    expect(await kit.count('quarantine')).toBe(0);
  });
});
it('does not stop at a policy version that this release refuses: the active one replaces it', async () => {
  await kit.live(20);
  const wanted = { files: [{ path: 'rules.yaml', text: calm }], author: 'ana', comment: '', actor: 'api' } as const;
  const { version } = await applyPolicy({ ...kit.home.deps, log: kit.scene.log }, kit.scene.workspace.id, wanted);
  await kit.live(20);
  const wrong = JSON.stringify([{ path: 'rules.yaml', text: calm.replace('order.amount', 'order.amout') }]);
  await kit.scene.pool.query(`update policy_version set files = $1 where version <> $2`, [wrong, version]);
  kit.clockMs += 60 * dayMs;
  await kit.round();
  expect(await kit.round()).toBe('done');
  expect(await kit.eventDays()).toEqual([]);
  expect(kit.scene.logged.filter(({ level }) => level === 'error')).toEqual([]);
  const noted = await kit.scene.pool.query<{ reason: string }>(`select distinct reason from irreproducible_range`);
  expect(noted.rows).toEqual([{ reason: expect.stringContaining('is no longer valid') }]);
});
