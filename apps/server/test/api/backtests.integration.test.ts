/** Backtests over the management API: they run in a background thread, one at a time, and their results are stored. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importHistory } from '../../src/history/import-history.ts';
import { readMapping } from '../../src/history/mapping/read-mapping.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';
import { shippedNetworks } from '../support/networks.ts';
import { patience } from '../../../../tools/testing/patience.ts';

let kit: ManagementKit;
let folder: string;
beforeAll(async () => {
  kit = await managementKit();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-backtests-'));
  await bring('small', 20);
  await bring('large', 150_000);
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

const mapping = readMapping(
  'mapping.yaml',
  `time: { column: at, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation: { channelId: { value: 1 }, account.client: client, order.amount: amount, order.currency: { value: MXN } }
`,
);

/** Every tenth payment is large; every twentieth is a fraud. */
async function bring(name: string, count: number): Promise<void> {
  const rows = Array.from(
    { length: count },
    (_, i) => `${1_600_000_000 + i},c${i % 5},${i % 10 === 0 ? 900 : 9},${i % 20 === 0 ? 1 : 0}`,
  );
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `at,client,amount,fraud\n${rows.join('\n')}\n`);
  await importHistory(
    { connection: kit.home.connection, subjects: kit.subjects },
    {
      workspace: kit.workspace,
      networks: shippedNetworks,
      name,
      files: [{ path, mapping }],
      author: 'test',
      reportPath: join(folder, 'left-out.csv'),
      onProgress: () => {},
    },
  );
}

const files = [
  {
    path: 'rules.yaml',
    text: `rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 100, then: { action: 4, message: x } }
`,
  },
];
/** One that matches nothing. */
const silent = `  - { reason: 2, name: huge, on: [operation], when: order.amount > 9000, then: { action: 4, message: x }, mode: shadow }
`;
/** Rule 2 depends on the parameter through a feature alone. */
const withParam = [
  {
    path: 'rules.yaml',
    text: `params: { large: { type: int, default: 100, unit: MXN, min: 1, max: 5000 } }
features:
  largePaid1h: { count: true, by: client.id, over: 1h, where: order.amount > params.large }
rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > params.large, then: { action: 4, message: x } }
  - { reason: 2, name: many, on: [operation], when: largePaid1h > 100, then: { action: 4, message: x } }
  - { reason: 3, name: other, on: [operation], when: order.amount > 9000, then: { action: 4, message: x } }
`,
  },
];
const wanted = { files, history: 'small', author: 'mara' };

interface Printed {
  readonly id: number;
  readonly state: string;
  readonly done: number;
  readonly total: number;
  readonly error?: string;
  readonly policyVersion?: number;
  readonly asLive?: string;
  readonly result?: {
    readonly candidate: object;
    readonly unmatched: readonly object[];
    readonly varied?: object;
    readonly digest: string;
  };
}

async function started(body: object): Promise<Printed> {
  const response = await kit.at('POST', 'backtests', { body });
  expect(response.statusCode).toBe(202);
  return response.json();
}

async function ended(id: number): Promise<Printed> {
  return vi.waitFor(async () => {
    const backtest = await kit.get<Printed>(`backtests/${id}`);
    expect(backtest.state).not.toBe('running');
    return backtest;
  }, patience);
}

describe('a backtest', () => {
  it('runs in the background, can be polled until it is done, and is kept', async () => {
    const { id, state } = await started(wanted);
    expect(state).toBe('running');
    const done = await ended(id);
    expect(done).not.toHaveProperty('error');
    expect(done).toMatchObject({ state: 'done', done: 20, total: 20, history: 'small', against: 1 });
    expect(done).not.toHaveProperty('policyVersion');
    expect(done.result!.candidate).toMatchObject({
      flagged: { events: 2, fraud: 1, legitimate: 1 },
      precision: 0.5,
      recall: 1,
      money: [{ currency: 'MXN', fraud: '900', legitimate: '900', unlabelled: '0' }],
    });
    const { items } = await kit.get<{ items: readonly Printed[] }>('backtests');
    expect(items[0]).toMatchObject({ id, state: 'done' });
    expect(items[0]).not.toHaveProperty('result');
  });

  it('lists the rules without a match', async () => {
    const [file] = files;
    const withSilent = [{ ...file!, text: file!.text + silent }];
    const { result } = await ended((await started({ ...wanted, files: withSilent })).id);
    expect(result!.unmatched).toEqual([{ reason: 2, name: 'huge', mode: 'shadow' }]);
  });

  it('counts new rules in shadow as if live, if asked to', async () => {
    const text = files[0]!.text.replace('message: x }', 'message: x }, mode: shadow');
    const inShadow = { ...wanted, files: [{ path: 'rules.yaml', text }] };
    const plain = await ended((await started(inShadow)).id);
    expect(plain).not.toHaveProperty('asLive');
    expect(plain.result!.candidate).toMatchObject({ flagged: { events: 0 }, actions: [] });
    const counted = await ended((await started({ ...inShadow, asLive: 'new' })).id);
    expect(counted.asLive).toBe('new');
    expect(counted.result).toMatchObject({
      asLive: [1],
      candidate: { flagged: { events: 2 }, actions: [{ count: 2 }] },
    });
  });

  it('compares the values of a parameter', async () => {
    const varied = (vary: object) => started({ ...wanted, files: withParam, vary });
    const { result, total, done } = await ended((await varied({ param: 'large', values: [1000, 100, 5] })).id);
    // One pass for the policy as it is, and two for three values.
    expect([done, total]).toEqual([60, 60]);
    const money = (fraud: string, legitimate: string) => [{ currency: 'MXN', fraud, legitimate, unlabelled: '0' }];
    expect(result!.varied).toEqual({
      param: 'large',
      unit: 'MXN',
      candidate: '100',
      rules: [1, 2],
      values: [
        expect.objectContaining({
          value: '5',
          flagged: { events: 20, fraud: 1, legitimate: 19, unlabelled: 0 },
          recall: 1,
          matches: { events: 20, fraud: 1, legitimate: 19, unlabelled: 0, money: money('900', '1062') },
          money: money('900', '1062'),
          toHold: [],
          missed: { events: 0, money: [] },
        }),
        expect.objectContaining({
          value: '100',
          flagged: { events: 2, fraud: 1, legitimate: 1, unlabelled: 0 },
          legitimateClients: 1,
          precision: 0.5,
          matches: { events: 2, fraud: 1, legitimate: 1, unlabelled: 0, money: money('900', '900') },
        }),
        expect.objectContaining({
          value: '1000',
          flagged: { events: 0, fraud: 0, legitimate: 0, unlabelled: 0 },
          recall: 0,
          missed: { events: 1, money: money('900', '0') },
        }),
      ],
    });
    const spaced = await ended((await varied({ param: 'large', from: 100, to: 200, steps: 3 })).id);
    expect(spaced).toMatchObject({ vary: { param: 'large', values: ['100', '150', '200'] } });
  });

  it('can still be read if an earlier release stored it', async () => {
    const { id } = await ended((await started({ ...wanted, asLive: 'all' })).id);
    await kit.pool.query(`update backtest set result = result - 'asLive' - 'varied' where id = $1`, [id]);
    expect((await ended(id)).result).not.toHaveProperty('asLive');
  });

  it('has examples, as a list and by rule', async () => {
    const { id } = await ended((await started(wanted)).id);
    const examples = (query: string) => kit.get<{ items: readonly object[] }>(`backtests/${id}/examples${query}`);
    expect((await examples('')).items).toHaveLength(4);
    expect((await examples('?list=newlyFlagged')).items).toHaveLength(2);
    const [first] = (await examples('?list=rule&reason=1')).items;
    expect(first).toMatchObject({
      event: '0',
      client: 'c0',
      rules: [
        { reason: 1, conditions: [{ text: 'order.amount > 100', holds: true, values: { 'order.amount': '900' } }] },
      ],
    });
    expect((await examples('?reason=2')).items).toEqual([]);
  });

  it('of a stored version runs on the live log', async () => {
    await kit.startHost().ready;
    await kit.send('login', { channelId: 1, user: 'ana', session: 's', publicIp: '203.0.113.7', data: 'd' });
    await kit.settled();
    const { id } = await started({ version: 1, against: 'nothing', author: 'mara' });
    const { state, result, policyVersion } = await ended(id);
    expect(policyVersion).toBe(1);
    const { rows } = await kit.pool.query<{ digest: Buffer }>(`select digest from engine_position`);
    expect(state).toBe('done');
    expect(result!.digest).toBe(rows[0]!.digest.toString('hex'));
  });

  it('runs only one at a time, and can be cancelled', async () => {
    const { id } = await started({ ...wanted, history: 'large' });
    const second = await kit.at('POST', 'backtests', { body: wanted });
    expect(problemOf(second)).toMatchObject({
      code: 'state.conflict',
      detail: 'Another backtest or training is running. Only one can run at a time, over all workspaces.',
    });
    expect(second.headers['retry-after']).toBe('10');
    expect(problemOf(await kit.at('DELETE', `backtests/${id}`))).toMatchObject({ code: 'state.conflict' });
    expect((await kit.at('POST', `backtests/${id}/cancel`)).statusCode).toBe(204);
    const cancelled = await kit.get<Printed>(`backtests/${id}`);
    expect(cancelled.state).toBe('cancelled');
    expect(cancelled).not.toHaveProperty('result');
    // It may finish before the request arrives.
    expect((await kit.at('POST', `backtests/${id}/cancel`)).statusCode).toBe(204);
    // The next one waits for nothing, and the cancelled one changes nothing any more.
    expect((await ended((await started(wanted)).id)).state).toBe('done');
    expect(await ended(id)).toEqual(cancelled);
    expect((await kit.at('DELETE', `backtests/${id}`)).statusCode).toBe(204);
    expect((await kit.at('GET', `backtests/${id}`)).statusCode).toBe(404);
  });

  it('whose process is gone has failed, and no longer blocks others', async () => {
    const { rows } = await kit.pool.query<{ id: number }>(
      `insert into backtest (workspace_id, state, author, files, policy_version, heartbeat_at)
       values ($1, 'running', 'x', '[]', 1, now() - interval '2 minutes') returning id`,
      [kit.workspace.id],
    );
    expect(await kit.get<Printed>(`backtests/${rows[0]!.id}`)).toMatchObject({
      state: 'failed',
      error: 'The process that ran it has ended.',
    });
    expect(await ended((await started(wanted)).id)).toMatchObject({ state: 'done' });
  });

  it('on a history that is removed meanwhile fails with a clear error', async () => {
    await bring('gone', 20);
    const { id } = await started({ ...wanted, history: 'gone' });
    expect((await kit.at('DELETE', 'history/gone')).statusCode).toBe(204);
    const { state, error } = await ended(id);
    expect(['done', 'failed']).toContain(state);
    expect(error ?? '"gone"').toContain('"gone"');
  });
});

describe('an invalid backtest', () => {
  it.each([
    [{ author: 'x' }, 422, 'request.invalid'],
    [{ ...wanted, version: 1 }, 422, 'request.invalid'],
    [{ ...wanted, against: 'other' }, 422, 'request.invalid'],
    [{ ...wanted, from: '2026-01-02', to: '2026-01-01' }, 422, 'request.invalid'],
    [{ ...wanted, history: 'none' }, 404, 'thing.unknown'],
    [{ version: 99, author: 'x' }, 404, 'thing.unknown'],
    [{ ...wanted, files: withParam, vary: { param: 'large' } }, 422, 'request.invalid'],
    [{ ...wanted, files: withParam, vary: { param: 'large', values: [1] } }, 422, 'request.invalid'],
    [{ ...wanted, files: withParam, vary: { param: 'large', values: [1, 2], steps: 3 } }, 422, 'request.invalid'],
    [{ ...wanted, files: withParam, vary: { param: 'none', values: [1, 2] } }, 422, 'request.invalid'],
    [{ ...wanted, files: [{ path: 'a.yaml', text: 'rules: [{}]' }] }, 422, 'policy.invalid'],
  ])('is refused: %j', async (body, status, code) => {
    expect(problemOf(await kit.at('POST', 'backtests', { body }))).toMatchObject({ status, code });
  });

  it.each([
    ['GET', 'backtests/999999'],
    ['GET', 'backtests/999999/examples'],
    ['POST', 'backtests/999999/cancel'],
    ['DELETE', 'backtests/999999'],
    ['DELETE', 'history/none'],
  ])('%s %s: 404', async (method, path) => {
    expect(problemOf(await kit.at(method, path))).toMatchObject({ code: 'thing.unknown' });
  });
});

it('histories are listed, newest first', async () => {
  const { items } = await kit.get<{ items: readonly object[] }>('history');
  expect(items).toMatchObject([
    { name: 'large', events: 150_000, operations: 150_000, fraud: 7_500 },
    { name: 'small', events: 20, from: '2020-09-13T12:26:40.000Z', leftOut: 0, source: ['small.csv'] },
  ]);
});
