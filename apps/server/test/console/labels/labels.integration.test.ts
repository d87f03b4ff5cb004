/**
 * Labels that arrive later: from the API into the log, by the host into features and rows, and again in replays and
 * backtests.
 */
import { dayMs, type EpochMs } from '@ringfence/contract';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBacktest } from '../../../src/backtest/backtests/backtest-rows.ts';
import { runStoredBacktest } from '../../../src/backtest/backtests/run-stored-backtest.ts';
import { startBacktest } from '../../../src/backtest/backtests/start-backtest.ts';
import { PolicyCache } from '../../../src/policies/policy-cache.ts';
import { readLabelFile } from '../../../src/console/labels/read-label-file.ts';
import { listLabels } from '../../../src/console/labels/stored-labels.ts';
import { appendLabels, type LabelAddress, type ToldLabel } from '../../../src/console/labels/append-labels.ts';
import { verifyLog } from '../../../src/backtest/replay/verify-log.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { parseEventId } from '../../../src/records/event-id.ts';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { engineSettings, settingsPayload } from '../../../src/tenancy/workspaces/settings.ts';
import { readWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

let home: Installation;
let scene: Scene;
let nowMs = Date.now();

const files = [
  {
    path: 'rules.yaml',
    text: `features:
  payeeFraud: { fraudShare: true, after: 2d, by: payee.id, over: 30d }
rules:
  - { reason: 1, name: shows, when: payeeFraud >= 0.0, then: { action: 4, message: x } }
  - { reason: 2, name: known for fraud, when: payeeFraud >= 0.5, then: { action: 4, message: x } }
`,
  },
];

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home, { now: () => nowMs as EpochMs });
  await applyPolicy({ ...home.deps, log: scene.log }, scene.workspace.id, {
    files,
    author: 'test',
    comment: '',
    actor: 'api',
  });
  await scene.startHost().ready;
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

/** The reference of a payment, by its number. */
function reference(number: number): string {
  return `00000000-0000-4000-8000-00000000000${number}`;
}

async function pay(client: string, reference: string): Promise<string> {
  const id = await scene.send('operation', {
    channelId: 1,
    timestamp: new Date(nowMs).toISOString(),
    account: { client },
    order: { amount: 10, currency: 'MXN' },
    accountTo: { bank: 'B1', accountNumber: '1' },
    transaction: { reference },
  });
  await scene.settled();
  return id;
}

async function tell(...labels: readonly (LabelAddress & Pick<ToldLabel, 'label'>)[]) {
  const told = labels.map((label) => ({ author: 'mara', note: 'chargeback 4711', ...label }));
  const outcomes = await appendLabels(scene, scene.workspace, told);
  await scene.settled();
  return outcomes;
}

async function firedOn(id: string): Promise<readonly number[]> {
  const offset = Number(id.split('_')[2]);
  const { rows } = await scene.pool.query<{ fired: number[] }>(`select fired from event where "offset" = $1`, [offset]);
  return rows[0]!.fired;
}

it('a label by id or by reference becomes part of features once the delay is over', async () => {
  const first = await pay('ana', reference(1));
  const second = await pay('bob', reference(2));
  expect(
    await tell({ event: first, label: 'fraud' }, { client: 'bob', reference: reference(2), label: 'fraud' }),
  ).toEqual([
    { state: 'accepted', events: [first] },
    { state: 'accepted', events: [second] },
  ]);
  expect(await firedOn(await pay('carl', reference(3)))).toEqual([]);
  nowMs += 3 * dayMs;
  expect(await firedOn(await pay('carl', reference(4)))).toEqual([1, 2]);
  await tell({ event: first, label: 'legitimate' });
  expect(await firedOn(await pay('carl', reference(5)))).toEqual([1]);
});

it('unknown events are reported, and the other labels are stored', async () => {
  const known = await pay('ana', reference(6));
  const outcomes = await tell(
    { event: 'evt_1_999', label: 'fraud' },
    { event: 'nonsense', label: 'fraud' },
    { client: 'nobody', reference: reference(6), label: 'fraud' },
    { client: 'ana', reference: reference(7), label: 'fraud' },
    { event: known, label: 'legitimate' },
  );
  expect(outcomes).toEqual([
    { state: 'unknown', reason: 'there is no such event in this workspace' },
    { state: 'unknown', reason: '"nonsense" is not an event id; one looks like evt_1790000000_42' },
    { state: 'unknown', reason: 'this client is unknown' },
    { state: 'unknown', reason: 'this client has no operation with this reference' },
    { state: 'accepted', events: [known] },
  ]);
});

it('a file of labels is read line by line, with an error for each invalid line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-labels-'));
  const path = join(folder, 'labels.csv');
  writeFileSync(
    path,
    [
      'client,reference,label,note',
      `ana,${reference(6)},fraud,"a, b"`,
      'ana,,fraud,',
      `ana,${reference(6)},maybe,`,
      `ana,${reference(6)}`,
      'jos\u00e9,1,fraud,',
      '',
    ].join('\n'),
    'latin1',
  );
  const lines = [];
  for await (const { line, told } of readLabelFile(path, 'mara')) lines.push([line, told]);
  expect(lines).toEqual([
    [2, { client: 'ana', reference: reference(6), label: 'fraud', author: 'mara', note: 'a, b' }],
    [3, 'Give an event, or a client and a reference.'],
    [4, '"maybe" is not a label: use fraud or legitimate.'],
    [5, 'The line has 2 cells, and the first line 4.'],
    [6, 'It is not UTF-8: save the file in UTF-8.'],
  ]);
  writeFileSync(path, 'event;label\n');
  await expect(readLabelFile(path, 'mara').next()).rejects.toMatchObject({
    message: expect.stringContaining('must contain the column names'),
    mend: 'Columns must be separated by commas. The line is: event;label',
  });
  writeFileSync(path, 'event,label,n\u00f8te\n', 'latin1');
  await expect(readLabelFile(path, 'mara').next()).rejects.toThrow(/cannot be read\. It is not UTF-8/);
  rmSync(folder, { recursive: true });
});

it('labels are listed with their authors, replayed exactly, and counted by backtests of the log', async () => {
  const [newest] = await listLabels(scene, scene.workspace, { limit: 1 });
  expect(newest).toMatchObject({ label: 'legitimate', author: 'mara', note: 'chargeback 4711' });
  const policies = new PolicyCache(scene.pool);
  const verified = await verifyLog({ ...scene, policies }, scene.workspace, () => {});
  expect(verified).toMatchObject({ verdict: 'same', differences: { unexplained: 0, afterGap: 0 } });

  const workspace = await readWorkspace(home.deps, scene.workspace.id);
  const request = { candidate: { version: 2 }, against: 'nothing', author: 'test' } as const;
  const id = await startBacktest(scene.pool, workspace, request);
  expect(await runStoredBacktest(scene, { workspace, id }, () => true)).toBe('done');
  const { result } = await readBacktest(scene.pool, workspace.id, id);
  expect(result!.digest).toBe(verified.digest.recorded);
  expect(result!.events).toMatchObject({ fraud: 1, legitimate: 2 });
});

it('an erased client also loses its notes, and the log can be replayed past its labels', async () => {
  await eraseClient(scene, scene.workspace, 'ana');
  await scene.settled();
  const labels = await listLabels(scene, scene.workspace, { limit: 10 });
  expect(labels.map(({ note }) => note)).toEqual([undefined, undefined, 'chargeback 4711', undefined]);
  const verified = await verifyLog({ ...scene, policies: new PolicyCache(scene.pool) }, scene.workspace, () => {});
  expect(verified.verdict).toBe('partly');
  expect((await tell({ client: 'ana', reference: reference(6), label: 'fraud' }))[0]!.state).toBe('unknown');
});

/** One payment that arrived three times; `ids` in order of arrival. */
async function payThrice(client: string, reference: string, session?: string): Promise<readonly string[]> {
  const body = {
    channelId: 1,
    timestamp: new Date(nowMs).toISOString(),
    account: { client, ...(session === undefined ? {} : { session }) },
    order: { amount: 10, currency: 'MXN' },
    accountTo: { bank: 'B1', accountNumber: client },
    transaction: { reference },
  };
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await scene.send('operation', body));
  await scene.settled();
  return ids;
}

async function eventsOfLabels(): Promise<readonly number[]> {
  const { rows } = await scene.pool.query<{ offset: number }>(`select distinct "offset" from label order by 1`);
  return rows.map(({ offset }) => offset);
}

it('a label of a repeat is stored for the original event, through any number of repeats', async () => {
  const [first, second, third] = await payThrice('dora', reference(8));
  const [applied, , last] = [first, second, third].map((id) => Number(id!.split('_')[2]));
  // As earlier engines wrote it: a repeat of the first event with its key, which is a repeat itself.
  await scene.pool.query(`update event set repeat_of = $2 where "offset" = $1`, [last, applied! + 1]);
  const before = await eventsOfLabels();
  const told = [{ client: 'dora', reference: reference(8) }, { event: third! }, { event: second! }, { event: first! }];
  expect(await tell(...told.map((address) => ({ ...address, label: 'fraud' as const })))).toEqual(
    told.map(() => ({ state: 'accepted', events: [first] })),
  );
  expect(await eventsOfLabels()).toEqual([...before, applied]);
  for (const id of [first, second, third]) {
    const event = parseEventId(id!, scene.workspace);
    expect(await listLabels(scene, scene.workspace, { limit: 10, event })).toHaveLength(4);
  }
});

it('a label of a repeat is refused while the original event waits for its login', async () => {
  const { settings, channels } = await readWorkspace(home.deps, scene.workspace.id);
  const usual = engineSettings({ settings, channels: [...channels.values()] });
  const setGrace = (sessionGraceMs: number): Promise<unknown> =>
    scene.log.append(scene.workspace.id, { kind: 'settings', payload: settingsPayload({ ...usual, sessionGraceMs }) });
  await setGrace(60_000);
  const ids = await payThrice('emil', reference(9), 'of no login');
  const { rows } = await scene.pool.query(`select status from event order by "offset" desc limit 3`);
  expect(rows.map(({ status }) => status)).toEqual(['repeat', 'repeat', 'waiting']);
  const before = await eventsOfLabels();
  const addresses: readonly LabelAddress[] = [
    ...ids.map((event) => ({ event })),
    { client: 'emil', reference: reference(9) },
  ];
  const labels = addresses.map((address) => ({ ...address, label: 'fraud' as const }));
  const early = { state: 'unknown', reason: 'it is not decided yet: send the label again later' };
  expect(await tell(...labels)).toEqual(labels.map(() => early));
  expect(await eventsOfLabels()).toEqual(before);
  nowMs += 60_000;
  await setGrace(0);
  await scene.settled();
  expect(await tell(...labels)).toEqual(labels.map(() => ({ state: 'accepted', events: [ids[0]] })));
});

it('a label of a repeat is refused when the original event is no longer kept', async () => {
  const ids = await payThrice('fritz', reference(9));
  await scene.pool.query(`delete from event where "offset" = $1`, [parseEventId(ids[0]!, scene.workspace).offset]);
  expect(await tell({ event: ids[2]!, label: 'fraud' })).toEqual([
    { state: 'unknown', reason: 'its body is no longer kept' },
  ]);
});
