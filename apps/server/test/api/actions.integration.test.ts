import { shownState } from '@ringfence/delivery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LightMyRequestResponse } from 'fastify';
import { openDirective } from '../../src/policies/directives/directives.ts';
import type { PrintedAction } from '../../src/api/actions/action-schema.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

interface Listed {
  readonly items: readonly PrintedAction[];
  readonly next?: string;
}

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
  for (const client of ['ana', 'eva', 'leo']) {
    await kit.send('login', login(client));
    for (let i = 0; i < 6; i++) await kit.send('operation', payment(client));
  }
  await kit.settled();
});
afterAll(() => kit.close());

async function list(query = ''): Promise<readonly PrintedAction[]> {
  return (await kit.get<Listed>(`actions${query}`)).items;
}

async function ofClient(client: string): Promise<PrintedAction> {
  return (await list(`?client=${client}`))[0]!;
}

/** Sets a state that otherwise only time and an endpoint bring about. */
async function put(id: string, state: string): Promise<void> {
  await kit.pool.query(`update action set state = $2, finished_at = now() where id = $1`, [id, state]);
}

async function change(path: string, body?: unknown): Promise<LightMyRequestResponse> {
  return kit.at('POST', `actions/${path}`, body === undefined ? {} : { body });
}

describe('the list of actions', () => {
  it('is ordered newest first, with personal data in clear', async () => {
    const items = await list();
    expect(items.map(({ client }) => client)).toEqual(['leo', 'eva', 'ana']);
    expect(items[0]).toMatchObject({
      id: expect.stringMatching(/^act_/),
      event: expect.stringMatching(/^evt_/),
      reason: 301,
      action: 2,
      state: 'due',
      session: 's-leo',
      message: expect.stringContaining('6 payments'),
      format: 'text',
      attempts: 0,
      dueAt: expect.any(String),
    });
  });

  it.each([
    ['client=ana', 1],
    ['client=nobody', 0],
    ['session=s-eva', 1],
    ['client=ana&session=s-eva', 0],
    ['state=due', 3],
    ['state=executed', 0],
    ['reason=301', 3],
    ['reason=302', 0],
    ['from=2020-01-01&to=2099-01-01', 3],
    ['to=2020-01-01', 0],
  ])('filtered by %s has %i items', async (query, count) => {
    expect(await list(`?${query}`)).toHaveLength(count);
  });

  it.each([1, 2, 3])('contains each action once in pages of %i', async (limit) => {
    const found: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Listed = await kit.get(`actions?limit=${limit}${cursor}`);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.next === undefined ? undefined : `&cursor=${page.next}`;
    }
    expect(found).toEqual((await list()).map(({ id }) => id));
  });

  it('refuses a cursor of another list', async () => {
    const { next } = await kit.get<Listed>('events?limit=1');
    expect(problemOf(await kit.at('GET', `actions?cursor=${next}`)).errors).toMatchObject([{ pointer: '/cursor' }]);
  });
});

describe('one action', () => {
  it('lists every attempt, and none while the first is in progress', async () => {
    const { id } = await ofClient('ana');
    const places = [{ workspaceId: kit.workspace.id, urgent: 1, ordinary: 0 }];
    const [leased] = await kit.outbox.lease(places, Date.now() + 1_000);
    expect(await kit.get(`actions/${id}`)).toMatchObject({ id: leased?.id, state: 'leased', attempts: 0, history: [] });
    await kit.outbox.giveBack([leased!], Date.now());
  });

  it.each(['act_nothing', 'act_mhztt4a4_1_2_3_4'])('%s is 404', async (id) => {
    expect(problemOf(await kit.at('GET', `actions/${id}`)).code).toBe('thing.unknown');
    expect(problemOf(await change(`${id}/redeliver`)).code).toBe('thing.unknown');
  });

  it('is not found in another workspace', async () => {
    const other = await kit.call('POST', '/workspaces', { body: { name: 'other', environment: 'production' } });
    const { id }: { id: string } = other.json();
    const action = await ofClient('ana');
    expect((await kit.call('GET', `/workspaces/${id}/actions/${action.id}`)).statusCode).toBe(404);
    const dropped = await kit.call('POST', `/workspaces/${id}/actions/${action.id}/drop`);
    expect(problemOf(dropped).code).toBe('thing.unknown');
  });
});

describe('redelivering an action', () => {
  it.each(['expired', 'dead', 'notExecuted', 'observed'])('is possible when it is %s', async (state) => {
    const { id, expiresAt } = await ofClient('eva');
    await put(id, state);
    kit.pass(60_000);
    expect((await change(`${id}/redeliver`)).json()).toEqual({ changed: 1 });
    const again = await ofClient('eva');
    expect(again).toMatchObject({ id, state: 'due' });
    expect(Date.parse(again.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
  });

  it.each(['executed', 'held', 'dropped', 'erased'] as const)('is refused when it is %s', async (state) => {
    const { id } = await ofClient('leo');
    await put(id, state);
    expect(problemOf(await change(`${id}/redeliver`))).toMatchObject({
      code: 'state.conflict',
      detail: expect.stringContaining(`The action is ${shownState(state)}; it is not possible to redeliver it`),
    });
    expect((await ofClient('leo')).state).toBe(shownState(state));
  });

  it('by filter includes every match, but observed actions only on request', async () => {
    const [leo, eva, ana] = await list();
    await put(leo!.id, 'dead');
    await put(eva!.id, 'observed');
    await put(ana!.id, 'executed');
    expect((await change('redeliver', { client: 'nobody' })).json()).toEqual({ changed: 0 });
    expect((await change('redeliver', { reason: 301 })).json()).toEqual({ changed: 1 });
    expect((await change('redeliver', { state: 'observed' })).json()).toEqual({ changed: 1 });
    expect((await list()).map(({ state }) => state)).toEqual(['due', 'due', 'executed']);
  });

  it('with an empty body is refused instead of redelivering all actions', async () => {
    for (const body of [undefined, {}]) {
      expect(problemOf(await change('redeliver', body)).errors).toMatchObject([
        { pointer: '', expected: expect.stringContaining('at least one member') },
      ]);
    }
  });

  it('with another state is refused, naming the allowed states', async () => {
    expect(problemOf(await change('redeliver', { state: 'capped' })).errors).toMatchObject([
      { pointer: '/state', expected: 'expired or dead or notExecuted or observed or executed' },
    ]);
  });
});

describe('redelivering an executed action', () => {
  it('needs `again`, which is in the audit log, and keeps the id', async () => {
    const { id } = await ofClient('leo');
    await put(id, 'executed');
    const refused = problemOf(await change(`${id}/redeliver`));
    expect(refused.detail).toBe('The action is executed; it is not possible to redeliver it without again: true.');
    expect(problemOf(await change(`${id}/redeliver`, { again: false })).code).toBe('state.conflict');
    expect((await change(`${id}/redeliver`, { again: true })).json()).toEqual({ changed: 1 });
    expect(await ofClient('leo')).toMatchObject({ id, state: 'due' });
    const { rows } = await kit.pool.query<{ target: string; detail: string }>(
      `select target, detail from audit_entry where action = 'redeliverAction' order by seq desc limit 1`,
    );
    expect(rows).toMatchObject([{ target: id, detail: '{"again":true}' }]);
  });

  it.each([
    [{ state: 'executed' }, '/again', 'true, because'],
    [{ state: 'executed', again: false }, '/again', 'true, because'],
    [{ state: 'executed', again: true }, '/finishedTo', 'an instant'],
    [{ again: true }, '/finishedTo', 'an instant'],
    [{ again: false }, '', 'at least one member'],
    [{ again: true, finishedTo: '2026-11-27 10:00:00' }, '/finishedTo', 'with a time zone'],
  ])('by filter is refused without saying so and until when: %j', async (body, pointer, expected) => {
    const { errors } = problemOf(await change('redeliver', body));
    expect(errors).toMatchObject([{ pointer, expected: expect.stringContaining(expected) }]);
  });

  it('by filter includes those that finished within the time, with other ended ones', async () => {
    const [leo, eva, ana] = await list();
    const finishedAt = async (id: string, at: string): Promise<void> =>
      void (await kit.pool.query('update action set finished_at = $2 where id = $1', [id, at]));
    for (const one of [leo, eva]) await put(one!.id, 'executed');
    await put(ana!.id, 'dead');
    await finishedAt(leo!.id, '2026-11-27T09:00:00Z');
    for (const one of [eva, ana]) await finishedAt(one!.id, '2026-11-27T10:00:00Z');
    const body = { again: true, finishedFrom: '2026-11-27T09:30:00Z', finishedTo: '2026-11-27T10:30:00Z' };
    expect((await change('redeliver', { ...body, state: 'executed' })).json()).toEqual({ changed: 1 });
    expect((await change('redeliver', body)).json()).toEqual({ changed: 1 });
    expect((await change('redeliver', body)).json()).toEqual({ changed: 0 });
    expect((await list()).map(({ state }) => state)).toEqual(['executed', 'due', 'due']);
  });
});

describe('a capped action', () => {
  it('can be released or dropped only once', async () => {
    const [leo, eva] = await list();
    await put(leo!.id, 'held');
    await put(eva!.id, 'held');
    expect((await change(`${leo!.id}/release`)).json()).toEqual({ changed: 1 });
    expect((await change(`${eva!.id}/drop`)).json()).toEqual({ changed: 1 });
    expect((await list()).map(({ state }) => state).slice(0, 2)).toEqual(['due', 'dropped']);
    expect(problemOf(await change(`${leo!.id}/release`)).detail).toBe(
      'The action is due; it is not possible to release it.',
    );
    expect(problemOf(await change(`${eva!.id}/drop`)).detail).toBe(
      'The action is dropped; it is not possible to drop it.',
    );
  });

  it('and its directive are changed together, or not at all', async () => {
    const [one] = await list();
    await put(one!.id, 'held');
    const fault = (table: string): Promise<unknown> =>
      kit.pool.query(`
        create function ends_here() returns trigger language plpgsql as $$ begin raise exception 'ends here'; end $$;
        create trigger ends_here before insert or update on ${table} for each row execute function ends_here()`);
    const told = async (): Promise<unknown> =>
      (await kit.pool.query(`select count(*)::integer as count from directive`)).rows[0];
    const before = await told();
    for (const table of ['directive', 'action']) {
      await fault(table);
      expect((await change(`${one!.id}/release`)).statusCode).toBe(500);
      await kit.pool.query(`drop function ends_here() cascade`);
      expect([(await list()).find(({ id }) => id === one!.id)?.state, await told()]).toEqual(['capped', before]);
    }
    expect((await change(`${one!.id}/release`)).json()).toEqual({ changed: 1 });
  });

  it.each([
    {
      named: 'by its id',
      paths: (id: string) => [`${id}/release`, `${id}/drop`],
      body: undefined,
      late: (state: string, verb: string) => ({ detail: `The action is ${state}; it is not possible to ${verb} it.` }),
    },
    {
      named: 'by a filter',
      paths: () => ['release', 'drop'],
      body: { reason: 301, session: 's-ana' },
      late: () => ({ changed: 0 }),
    },
  ])('is decided by the first of two people who decide at the same time, $named', async ({ paths, body, late }) => {
    const { id } = await ofClient('ana');
    await put(id, 'held');
    const before = await lastDirective();
    const someone = await kit.pool.connect();
    await someone.query('begin');
    await someone.query('select 1 from action where id = $1 for update', [id]);
    const both = Promise.all(paths(id).map((path) => change(path, body)));
    // Both requests have read the action as held.
    await expect.poll(blocked).toBe(2);
    await someone.query('commit');
    someone.release();
    const answers = (await both).map((answer) => answer.json<object>());
    const { state } = await ofClient('ana');
    const verbs = state === 'due' ? (['release', 'drop'] as const) : (['drop', 'release'] as const);
    const [first, second] = state === 'due' ? answers : answers.toReversed();
    expect(first).toEqual({ changed: 1 });
    expect(second).toMatchObject(late(state, verbs[1]));
    expect(await heldSince(before)).toMatchObject([{ change: verbs[0] }]);
  });

  async function lastDirective(): Promise<number> {
    const { rows } = await kit.pool.query<{ last: number }>(
      `select coalesce(max(id), 0)::integer as last from directive`,
    );
    return rows[0]!.last;
  }

  /** The directives about capped actions. */
  async function heldSince(after: number): Promise<readonly unknown[]> {
    const { rows } = await kit.pool.query<{ subject: string | null; payload: Buffer }>(
      `select subject, payload from directive where kind = 'held' and id > $1 order by id`,
      [after],
    );
    return rows.map(({ subject, payload }) =>
      openDirective(kit.workspace, { kind: 'held', subject: subject ?? undefined, payload }),
    );
  }

  async function blocked(): Promise<number> {
    const { rows } = await kit.pool.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows[0]!.count;
  }

  it('is released with every other match of a filter', async () => {
    for (const { id } of await list()) await put(id, 'held');
    expect((await change('drop', { session: 's-ana' })).json()).toEqual({ changed: 1 });
    expect((await change('release', { from: '2020-01-01' })).json()).toEqual({ changed: 2 });
    expect(problemOf(await change('release', { state: 'capped' })).errors).toMatchObject([{ pointer: '/state' }]);
  });
});

describe('the longest page of actions', () => {
  it('has a next page with the remaining actions', async () => {
    const copied = `workspace_id, epoch, "offset", reason, position, action, urgent, subject, session_index, channel_id,
      payload, format, content_hash, state, decided_at, expires_at, lifetime, due_at`;
    const [{ id }] = (await list('?client=ana')) as [PrintedAction];
    await kit.pool.query(
      `insert into action (id, ${copied})
       select id || '_' || n, ${copied} from action, generate_series(1, 200) n where id = $1`,
      [id],
    );
    const first = await kit.get<Listed>('actions?client=ana&limit=200');
    expect(first.items).toHaveLength(200);
    const second = await kit.get<Listed>(`actions?client=ana&limit=200&cursor=${first.next}`);
    expect(second).toEqual({ items: [expect.objectContaining({ id })] });
  });
});
