/** Data past its retention period is removed, newer data stays, and the engine is unaffected. */
import { dayMs } from '@ringfence/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redecide } from '../../../src/backtest/queries/redecide.ts';
import { readKeptSince } from '../../../src/decide/retention/kept-since.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { beginMs, rangeRecords, RetentionKit } from './support/retention-kit.ts';
import { loseStates, storedStates } from '../../support/stored-states.ts';

let kit: RetentionKit;
beforeEach(async () => {
  kit = await RetentionKit.make();
});
afterEach(() => kit.close());

describe('a hundred days', () => {
  it('leave thirty days of events with their records and sixty days of actions', async () => {
    await kit.live(100);
    // Records less than a day overdue may stay if their range of the log is not full yet.
    expect(await kit.eventDays()).toEqual([60, 70, 80, 90]);
    expect(await kit.round()).toBe('done');
    expect(await kit.eventDays()).toEqual([70, 80, 90]);
    expect(await kit.actionDays()).toEqual([40, 50, 60, 70, 80, 90]);
    expect(await kit.count('attempt')).toBe(0);
    expect(kit.removed).toEqual(
      new Map([
        ['records', expect.any(Number)],
        ['events', 7 * 7],
        ['actions', 4],
        ['keys', 10 * 7],
      ]),
    );
    const { start, end } = await kit.scene.log.head(kit.scene.workspace.id);
    expect(kit.removed.get('records')).toBe(start);
    const [oldest] = await kit.scene.log.read(kit.scene.workspace.id, 0, 1);
    expect(oldest).toMatchObject({ offset: start });
    expect(await kit.count('log_record')).toBe(end - start);
    const tables = await kit.scene.pool.query(`select 1 from pg_inherits where inhparent = 'log_block'::regclass`);
    expect(tables.rowCount).toBe(Math.ceil(end / rangeRecords) - Math.floor(start / rangeRecords));
    const ranges = await kit.scene.pool.query<{ high: number }>(
      `select min(r.high)::float8 as high from log_partition p, event_ranges_of(p.number) r`,
    );
    expect(ranges.rows[0]!.high).toBeGreaterThan(start);
    expect(await readKeptSince(kit.scene, kit.scene.workspace.id)).toEqual({
      eventsMs: expect.closeTo(beginMs + 70 * dayMs, -8),
      actionsMs: beginMs + 40 * dayMs,
    });
    expect(kit.scene.logged).toContainEqual(
      expect.objectContaining({
        level: 'info',
        message: 'removed data past its retention period',
        fields: expect.objectContaining({ actions: 1, keepEvents: '30d', keepActions: '60d' }),
      }),
    );
    expect(kit.scene.logged.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('leave the reports of the events that stay', async () => {
    await kit.live(100);
    const { id } = kit.scene.workspace;
    const { end } = await kit.scene.log.head(id);
    await kit.scene.pool.query(
      `insert into event_report (workspace_id, "offset", epoch, record_offset, outcome, author, reported_at)
       select $1, r, 1, r, 'fraud', 'test', now() from unnest($2::bigint[]) r`,
      [id, [5, end - 1]],
    );
    expect(await kit.round()).toBe('done');
    expect(await kit.count('event_report')).toBe(1);
  });

  it('do not affect the engine: the kept log reproduces the same decisions', async () => {
    await kit.live(100, ['ana', 'eva']);
    await kit.burst('ana');
    await kit.decide();
    const found = await kit.verified();
    expect(found).toMatchObject({
      verdict: 'partly',
      withoutRow: 0,
      differences: { unexplained: 0, afterGap: 0 },
      gaps: [{ kind: 'dropped', from: 0, reason: 'older than the retention of events' }],
    });
    expect(found.digest.replayed).toBe(found.digest.recorded);
    expect(found.gaps[0]!.to).toBeGreaterThan(0);
    expect(await kit.count('irreproducible_range')).toBe(0);
  });

  it('leave every kept event reproducible as of its time, with the state from before the base', async () => {
    await kit.live(100, ['ana', 'eva']);
    await kit.burst('ana');
    await kit.decide();
    const { workspace } = kit.scene;
    const kept = await kit.scene.pool.query<{ offset: number; fired: readonly number[] }>(
      `select "offset", fired from event where workspace_id = $1 order by "offset" desc limit 8`,
      [workspace.id],
    );
    expect(kept.rows.some(({ fired }) => fired.length > 0)).toBe(true);
    for (const { offset, fired } of kept.rows) {
      const then = await redecide(kit.scene, { workspace, asked: { offset } }, () => {});
      expect(then.differences).toEqual([]);
      expect(then.unfired.some(({ reason }) => fired.includes(reason))).toBe(false);
    }
  });

  it('can be resumed from the base alone when the checkpoint is lost', async () => {
    await kit.live(100);
    const before = await kit.digest();
    await kit.scene.pool.query('delete from checkpoint');
    await loseStates(kit.scene.pool);
    await kit.decide();
    expect(await kit.digest()).toBe(before);
    expect(await kit.count('irreproducible_range')).toBe(0);
    expect(await kit.count('checkpoint')).toBe(1);
    // Control: with another base the decisions differ.
    await kit.scene.pool.query('delete from checkpoint');
    await loseStates(kit.scene.pool, 'base');
    await kit.decide();
    expect(await kit.count('irreproducible_range')).toBe(1);
  });
});

describe('directives and alerts', () => {
  it('directives are removed with their records, and not before they are appended', async () => {
    const { id } = kit.scene.workspace;
    const tell = (count: number, daysAgo: number, appended = true) =>
      kit.scene.pool.query(
        `insert into directive (workspace_id, kind, payload, author, comment, made_at, appended)
         select $1, 'list', '', 'mara', '', $2, $3 from generate_series(1, $4::integer)`,
        [id, new Date(kit.clockMs - daysAgo * dayMs), appended, count],
      );
    const suppress = (name: string, daysAgo: number) =>
      kit.scene.pool.query(
        `insert into suppression (workspace_id, id, reason, subject, until, why, author, made_at) values ($1, $2, 1, 'x', $3, '', '', $3)`,
        [id, name, new Date(kit.clockMs - daysAgo * dayMs)],
      );
    await tell(1_500, 40);
    await tell(1, 40, false);
    await tell(1, 20);
    await suppress('long over', 40);
    await suppress('over', 20);
    await suppress('in force', -20);
    expect(await kit.round()).toBe('done');
    const left = await kit.scene.pool.query(`select appended from directive order by id`);
    expect(left.rows).toEqual([{ appended: false }, { appended: true }]);
    expect((await kit.scene.pool.query(`select id from suppression order by id`)).rows).toEqual([
      { id: 'in force' },
      { id: 'over' },
    ]);
    await kit.keep({ keepEvents: 'forever' });
    kit.clockMs += 400 * dayMs;
    await kit.round();
    expect([await kit.count('directive'), await kit.count('suppression')]).toEqual([2, 2]);
  });

  it('an open alert loses the references to removed events', async () => {
    const put = (alert: string, state: string, firstOffset: number) =>
      kit.scene.pool.query(
        `insert into alert (workspace_id, id, state, rank, risk, decisions, reasons, first_offset, last_offset, opened_at, last_at, outcome, closed_at)
         values ($1, $2, $3, 1, 1, 1, '{1}', $4, 1000000, now(), now(), $5, $6)`,
        [
          kit.scene.workspace.id,
          alert,
          state,
          firstOffset,
          ...(state === 'open' ? [null, null] : ['fraud', new Date()]),
        ],
      );
    await put('alr_aaaaaaaaaaaa', 'open', 0);
    await put('alr_bbbbbbbbbbbb', 'open', 999_999);
    await put('alr_cccccccccccc', 'closed', 0);
    await kit.scene.pool.query(
      `insert into alert_event (workspace_id, alert_id, "offset")
       select workspace_id, id, n from alert, (values (0), (1), (999999), (1000000)) o(n) where n >= first_offset`,
    );
    await kit.live(100);
    const left = await kit.scene.pool.query<{ id: string; offsets: readonly number[] }>(
      `select alert_id as id, array_agg("offset"::integer order by "offset") as offsets from alert_event group by 1 order by 1`,
    );
    expect(left.rows).toEqual([
      { id: 'alr_aaaaaaaaaaaa', offsets: [999_999, 1_000_000] },
      { id: 'alr_bbbbbbbbbbbb', offsets: [999_999, 1_000_000] },
      { id: 'alr_cccccccccccc', offsets: [0, 1, 999_999, 1_000_000] },
    ]);
    expect(await kit.count('alert')).toBe(3);
  });
});

describe('held payments', () => {
  const hold = (id: string, offset: number, { state, daysAgo }: { state: string; daysAgo?: number }) =>
    kit.scene.pool.query(
      `with held as (
         insert into hold (workspace_id, id, epoch, "offset", reason, position, subject, channel_id, otherwise, state,
                           opened_at, due_at, resolved_at, resolved_by)
         values ($1, $2, 1, $3, 900, 0, 'x', 1, 'keep', $4, now(), now(), $5, $6)),
       member as (
         insert into hold_member (workspace_id, hold_id, "offset", epoch, webhook_id, joined_at)
         values ($1, $2, $3, 1, $2, now()))
       insert into hold_decision (workspace_id, hold_id, decision, author, comment, undo_until, state, needs_second)
       values ($1, $2, 'release', 'mara', 'sealed', now(), 'sent', false)`,
      [
        kit.scene.workspace.id,
        id,
        offset,
        state,
        ...(daysAgo === undefined ? [null, null] : [new Date(kit.clockMs - daysAgo * dayMs), 'person']),
      ],
    );
  const left = async (table: string, column: string): Promise<readonly string[]> =>
    (await kit.scene.pool.query<{ id: string }>(`select ${column} as id from ${table} order by 1`)).rows.map(
      ({ id }) => id,
    );

  it('go with their operations and decisions when they ended long ago; open ones stay', async () => {
    await kit.live(100);
    await hold('ended', 0, { state: 'released', daysAgo: 40 });
    await hold('ended lately', 1, { state: 'unresolved', daysAgo: 20 });
    await hold('open', 2, { state: 'open' });
    await hold('of a kept event', 1_000_000, { state: 'rejected', daysAgo: 40 });
    expect(await kit.round()).toBe('done');
    const rest = ['ended lately', 'of a kept event', 'open'];
    expect(await left('hold', 'id')).toEqual(rest);
    expect(await left('hold_member', 'hold_id')).toEqual(rest);
    expect(await left('hold_decision', 'hold_id')).toEqual(rest);
  });

  it('stay if events are kept forever', async () => {
    await kit.keep({ keepEvents: 'forever' });
    await kit.live(20);
    await hold('ended', 0, { state: 'released', daysAgo: 400 });
    expect(await kit.round()).toBe('done');
    expect(await left('hold', 'id')).toEqual(['ended']);
  });
});

describe('retention never removes', () => {
  it('an action that is still to be sent, or capped', async () => {
    await kit.burst('ana');
    await kit.burst('eva');
    await kit.decide();
    const [due, held] = (await kit.outbox.list({ workspaceId: kit.scene.workspace.id }, 10)).toReversed();
    const far = `expires_at = now() + interval '100 years'`;
    await kit.scene.pool.query(`update action set ${far} where id = $1`, [due!.id]);
    await kit.scene.pool.query(`update action set ${far}, state = 'held' where id = $1`, [held!.id]);
    kit.clockMs += 400 * dayMs;
    await kit.endActions();
    await kit.round();
    const states = (await kit.outbox.list({ workspaceId: kit.scene.workspace.id }, 10)).map(({ id, state }) => [
      id,
      state,
    ]);
    expect(states).toEqual([
      [held!.id, 'held'],
      [due!.id, 'due'],
    ]);
  });

  it('anything that is kept forever', async () => {
    await kit.keep({ keepEvents: 'forever', keepActions: 'forever' });
    await kit.live(60);
    kit.clockMs += 4_000 * dayMs;
    expect(await kit.round()).toBe('done');
    expect(await kit.eventDays()).toHaveLength(6);
    expect(await kit.actionDays()).toHaveLength(6);
    expect(await kit.scene.log.head(kit.scene.workspace.id)).toMatchObject({ start: 0 });
  });

  it('records that the engine has not decided', async () => {
    await kit.burst('ana');
    kit.clockMs += 400 * dayMs;
    await kit.round();
    kit.clockMs += 400 * dayMs;
    await kit.round();
    expect(await kit.scene.log.head(kit.scene.workspace.id)).toMatchObject({ start: 0 });
    await kit.decide();
    expect(await kit.actionDays()).toEqual([0]);
  });
});

describe('a log that no longer grows', () => {
  it('is removed to its end, and still accepts events', async () => {
    await kit.live(20);
    kit.clockMs += 60 * dayMs;
    expect(await kit.round()).toBe('done');
    const { start, end } = await kit.scene.log.head(kit.scene.workspace.id);
    expect(start).toBe(end);
    expect(await kit.count('event')).toBe(0);
    await kit.burst('ana');
    await kit.decide();
    expect(await kit.eventDays()).toEqual([80]);
    expect(await kit.verified()).toMatchObject({ verdict: 'partly', differences: { unexplained: 0, afterGap: 0 } });
  });
});

describe('an erased client', () => {
  it('is removed from the base, and the range that cannot be reproduced is recorded', async () => {
    await kit.live(60, ['ana', 'eva']);
    const subject = (await kit.scene.subjects.find(kit.scene.workspace, 'ana'))!;
    const ofAna = async (): Promise<number> =>
      (await storedStates(kit.scene, 'base')).filter((one) => one.subject === subject).length;
    expect(await ofAna()).toBeGreaterThan(0);
    await eraseClient(kit.scene, kit.scene.workspace, 'ana');
    expect(await ofAna()).toBe(0);
    await kit.live(60, ['eva']);
    expect(await ofAna()).toBe(0);
    const ranges = await kit.scene.pool.query<{ reason: string }>(`select reason from irreproducible_range`);
    expect(ranges.rows.map(({ reason }) => reason)).toEqual(['events of clients that were erased since']);
    expect(await kit.eventDays()).toEqual([90, 100, 110]);
  });

  it('is no longer found by a search for the content of its events, from the next round on', async () => {
    for (const client of ['ana', 'eva']) await kit.burst(client);
    await kit.decide();
    await eraseClient(kit.scene, kit.scene.workspace, 'ana');
    const found = async (): Promise<readonly object[]> =>
      (
        await kit.scene.pool.query<object>(
          `select count(*)::integer as events, count(payee)::integer as payees, count(amount)::integer as amounts,
                  count(ip)::integer as addresses from event`,
        )
      ).rows;
    const ofBoth = { events: 14, payees: 12, amounts: 12, addresses: 2 };
    expect(await kit.round()).toBe('done');
    expect(await found()).toEqual([ofBoth]); // a batch of decisions may still be in flight
    await kit.scene.pool.query(`update erasure set erased_at = erased_at - interval '2 minutes'`);
    expect(await kit.round()).toBe('done');
    const ofEva = { events: 14, payees: 6, amounts: 6, addresses: 1 };
    expect(await found()).toEqual([ofEva]);
    await eraseClient(kit.scene, kit.scene.workspace, 'eva');
    await kit.scene.pool.query(`update erasure set erased_at = erased_at - interval '2 minutes'`);
    await kit.round();
    expect(await found()).toEqual([{ ...ofEva, payees: 0, amounts: 0, addresses: 0 }]);
  });

  it("is removed from the base's waiting operations", async () => {
    await kit.keep({ sessionGraceSeconds: 60 });
    await kit.scene.send('operation', {
      channelId: 1,
      timestamp: new Date(kit.clockMs).toISOString(),
      account: { client: 'ana', session: 'never opened' },
    });
    await kit.decide();
    await kit.round(); // the mark is at an offset where the operation waits
    kit.clockMs += 31 * dayMs;
    await kit.round();
    const waiting = async (): Promise<number> =>
      (await kit.scene.pool.query<{ length: number }>(`select length(state) as length from log_base`)).rows[0]!.length;
    const before = await waiting();
    await eraseClient(kit.scene, kit.scene.workspace, 'ana');
    await kit.round();
    expect(await waiting()).toBeLessThan(before);
  });
});
