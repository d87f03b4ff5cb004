/** Models trained and compared over the management API, in a background thread, and used by a policy version. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelCard, readArtifact, sha256 } from '@ringfence/models';
import { writeModel } from '@ringfence/policy';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import type { ModelComparison } from '../../src/backtest/training/model-comparison.ts';
import type { WantedTraining } from '../../src/backtest/training/start-training.ts';
import { retrainAuthor, retrainDue } from '../../src/backtest/training/retrain.ts';
import type { ModelReport } from '../../src/backtest/training/model-report.ts';
import { importHistory } from '../../src/history/import-history.ts';
import { workHere } from '../../src/policies/policy-work.ts';
import { readMapping } from '../../src/history/mapping/read-mapping.ts';
import { shippedNetworks } from '../support/networks.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let folder: string;
beforeAll(async () => {
  kit = await managementKit();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-trainings-'));
  await bring('payments', 80, 60);
  await bring('short', 3, 20);
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
operation:
  channelId: { column: channel }
  account.client: client
  accountTo.accountNumber: payee
  order.amount: amount
  order.currency: { value: MXN }
`,
);

/** Amounts above 900 are fraud, and so are most payments to every tenth payee. */
async function bring(name: string, days: number, aDay: number): Promise<void> {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const rows = Array.from({ length: days * aDay }, (_, row) => {
    const [payee, amount] = [random(50), 1 + random(1_000)];
    const isFraud = amount > 900 || (payee % 10 === 0 && random(4) > 0);
    const at = 1_600_000_000 + row * (86_400 / aDay);
    return `${at},${1 + (row % 2)},c${random(100)},p${payee},${amount}.50,${isFraud ? 1 : 0}`;
  });
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `at,channel,client,payee,amount,fraud\n${rows.join('\n')}\n`);
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
    text: `features:
  payeeRun: { fraudRun: true, after: 7d, by: payee.id, over: 30d }
models:
  payments:
    on: [operation]
    inputs: { amount: order.amount, payeeRun: payeeRun }
rules:
  - { reason: 1, name: likely, on: [operation], when: model.payments.p > 0.5, then: { action: 4, message: x }, mode: shadow }
`,
  },
];
const wanted = { model: 'payments', files, history: 'payments', trees: 30, author: 'mara' };

interface Printed {
  readonly id: number;
  readonly state: string;
  readonly purpose: string;
  readonly done: number;
  readonly total: number;
  readonly phase?: string;
  readonly error?: string;
  readonly sha256?: string;
  readonly result?: {
    readonly card?: ModelCard;
    readonly report?: ModelReport;
    readonly comparison?: ModelComparison;
  };
}

async function started(body: object, path = 'trainings'): Promise<Printed> {
  const response = await kit.at('POST', path, { body });
  expect(response.statusCode, response.body).toBe(202);
  return response.json();
}

async function ended(id: number): Promise<Printed> {
  return vi.waitFor(async () => {
    const training = await kit.get<Printed>(`trainings/${id}`);
    expect(training.state).not.toBe('running');
    return training;
  }, patience);
}

describe('trainings', () => {
  it('train a model in the background, with its report, and give its file', async () => {
    const { id, state } = await started(wanted);
    expect(state).toBe('running');
    const training = await ended(id);
    expect(training, training.error).toMatchObject({
      state: 'done',
      purpose: 'training',
      phase: 'trees',
      done: 150,
      total: 150,
    });
    const { card, report, comparison } = training.result!;
    expect(card!.folds).toHaveLength(4);
    expect(report!.areaUnderRoc).toBeGreaterThan(0.8);
    expect(report!.days).toBe(28);
    expect(report!.currency).toBe('MXN');
    const [first] = report!.curve;
    const last = report!.curve.at(-1)!;
    expect(first!.recall).toBeLessThan(last.recall);
    expect([last.recall, last.legitimateShare, last.missed]).toEqual([1, 1, 0]);
    // Two channels, and amounts of at most 10, 100 and 1,000.
    const names = (by: string): readonly string[] =>
      report!.segments.filter((one) => one.by === by).map(({ name }) => name);
    expect([names('channel'), names('amount')]).toEqual([
      ['1', '2'],
      ['10', '100', '1000'],
    ]);
    // All clients have paid in the weeks before.
    expect(names('client')).toEqual(['known']);
    const ofChannels = report!.segments.filter(({ by }) => by === 'channel');
    expect(ofChannels.reduce((sum, { events }) => sum + events, 0)).toBe(report!.events);
    expect(comparison).toBeUndefined();
    const file = await kit.get<{ text: string; sha256: string }>(`trainings/${id}/file`);
    expect(file.sha256).toBe(sha256(file.text));
    expect([card!.sha256, training.sha256]).toEqual([file.sha256, file.sha256]);
    expect(readArtifact(file.text)).toMatchObject({ ok: true });
    const again = await ended((await started(wanted)).id);
    expect(again.sha256).toBe(file.sha256);
  });

  it('compare a model with that of the active policy, on what neither has seen and on any other time', async () => {
    const first = await ended((await started(wanted)).id);
    const { text, sha256: hash } = await kit.get<{ text: string; sha256: string }>(`trainings/${first.id}/file`);
    const artifact = 'models/payments.json';
    const written = writeModel(files, 'payments', { artifact, sha256: hash })!;
    const withModel = [written, { path: artifact, text }];
    const stored = await kit.at('POST', 'policies', {
      body: { files: withModel, author: 'mara', comment: 'the model' },
    });
    expect(stored.statusCode, stored.body).toBe(200);
    // The version names the file by its hash, and gives it back whole.
    const { version } = stored.json<{ version: number }>();
    expect((await kit.get<{ files: readonly object[] }>(`policies/${version}`)).files).toContainEqual({
      path: artifact,
      text,
    });
    const { rows } = await kit.pool.query<{ files: readonly object[] }>(
      'select files from policy_version where workspace_id = $1 and version = $2',
      [kit.workspace.id, version],
    );
    expect(rows[0]!.files).toContainEqual({ path: artifact, sha256: hash });
    const same = await kit.at('POST', 'policies', { body: { files: withModel, author: 'mara', comment: 'again' } });
    expect(same.json()).toMatchObject({ version, changed: false });
    expect(await kit.get('models')).toMatchObject({
      items: [
        {
          name: 'payments',
          on: ['operation'],
          inputs: [
            { name: 'amount', kind: 'number', text: 'order.amount' },
            { name: 'payeeRun', kind: 'number', text: 'payeeRun' },
          ],
          trained: { path: artifact, sha256: hash, trees: 30, hasScore: true },
          rules: [{ reason: 1, mode: 'shadow', when: 'model.payments.p > 0.5' }],
        },
      ],
    });
    // Of the live policy, by default: its model has seen all four weeks.
    const { files: _, ...ofLive } = wanted;
    const second = await ended((await started({ ...ofLive, trees: 60 })).id);
    expect(second.state).toBe('done');
    expect(second.result!.comparison).toBeUndefined();
    const comparison = await started({ history: 'payments', author: 'mara' }, `trainings/${second.id}/comparisons`);
    const compared = await ended(comparison.id);
    expect(compared).toMatchObject({ state: 'done', purpose: 'comparison' });
    const { champion, challenger, agreement } = compared.result!.comparison!;
    expect([champion.sha256, challenger.sha256]).toEqual([hash, second.sha256]);
    expect(champion.events).toBe(challenger.events);
    // Of ten alerts a day both find nearly the same.
    const [ten] = agreement;
    expect(ten).toMatchObject({ alertsADay: 10 });
    expect(ten!.both.events).toBeGreaterThan(ten!.championOnly.events + ten!.challengerOnly.events);
    expect(ten!.both.frauds).toBeLessThanOrEqual(ten!.both.events);
  });

  it('refuse too few frauds, an unknown model, direction or history, and a second one', async () => {
    const few = await ended((await started({ ...wanted, history: 'short' })).id);
    expect(few).toMatchObject({ state: 'failed', error: expect.stringContaining('200 are needed') });
    const upon = await ended((await started({ ...wanted, up: ['amonut'] })).id);
    expect(upon).toMatchObject({ state: 'failed', error: expect.stringContaining('amonut can have no direction') });
    const refused = async (body: object): Promise<unknown> => problemOf(await kit.at('POST', 'trainings', { body }));
    expect(await refused({ ...wanted, model: 'cards' })).toMatchObject({
      code: 'thing.unknown',
      detail: 'The policy declares no model cards; it has payments.',
    });
    expect(await refused({ ...wanted, history: 'none' })).toMatchObject({ code: 'thing.unknown' });
    expect(await refused({ ...wanted, trees: 0 })).toMatchObject({ code: 'request.invalid' });
    const { id } = await started(wanted);
    expect(await refused(wanted)).toMatchObject({ code: 'state.conflict' });
    await kit.at('POST', `trainings/${id}/cancel`);
  });

  it('can be cancelled and removed, and are listed apart from backtests', async () => {
    const { id } = await started(wanted);
    expect((await kit.at('DELETE', `trainings/${id}`)).statusCode).toBe(409);
    expect((await kit.at('POST', `trainings/${id}/cancel`)).statusCode).toBe(204);
    expect(await kit.get(`trainings/${id}`)).toMatchObject({ state: 'cancelled' });
    expect(problemOf(await kit.at('GET', `trainings/${id}/file`))).toMatchObject({ code: 'thing.unknown' });
    const listed = await kit.get<{ items: readonly Printed[] }>('trainings');
    expect(listed.items[0]).toMatchObject({ id, state: 'cancelled', purpose: 'training' });
    expect(await kit.get('backtests')).toEqual({ items: [] });
    expect((await kit.at('GET', `backtests/${id}`)).statusCode).toBe(404);
    expect((await kit.at('DELETE', `trainings/${id}`)).statusCode).toBe(204);
    expect((await kit.at('GET', `trainings/${id}`)).statusCode).toBe(404);
  });

  it('are repeated weekly where the policy asks for it, with the settings of the present model', async () => {
    const first = await ended((await started({ ...wanted, up: ['amount'] })).id);
    const { text, sha256: hash } = await kit.get<{ text: string; sha256: string }>(`trainings/${first.id}/file`);
    const artifact = 'models/payments.json';
    const weekly = files.map((file) => ({ ...file, text: file.text.replace('on: [', 'retrain: weekly\n    on: [') }));
    const written = writeModel(weekly, 'payments', { artifact, sha256: hash })!;
    const stored = await kit.at('POST', 'policies', {
      body: { files: [written, { path: artifact, text }], author: 'mara', comment: 'weekly' },
    });
    const { version } = stored.json<{ version: number }>();
    const trained: WantedTraining[] = [];
    const backtests = {
      train: async (_: object, one: WantedTraining): Promise<number> => {
        trained.push(one);
        await kit.pool.query(
          `insert into backtest (workspace_id, state, author, files, policy_version, purpose, model, request)
           values ($1, 'failed', $2, '[]', 0, 'training', $3, '{}')`,
          [kit.workspace.id, one.author, one.model],
        );
        return trained.length;
      },
    };
    const deps = { pool: kit.pool, backtests, work: workHere };
    const due = (): Promise<number> => retrainDue(deps, [{ ...kit.workspace, policyVersion: version }]);
    expect([await due(), await due()]).toEqual([1, 0]);
    expect(trained).toMatchObject([
      { model: 'payments', author: retrainAuthor, choices: { delayMs: 604_800_000, trees: 30, up: ['amount'] } },
    ]);
    const older = (days: number): Promise<unknown> =>
      kit.pool.query(`update backtest set started_at = now() - make_interval(days => $1) where author = $2`, [
        days,
        retrainAuthor,
      ]);
    await older(6);
    expect(await due()).toBe(0);
    await older(8);
    expect(await due()).toBe(1);
  });
});
