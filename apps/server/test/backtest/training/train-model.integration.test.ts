/** A model trained on imported history, by the command, and used in a backtest. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calibratedProbability, Ensemble, type ModelCard, readArtifact, sha256 } from '@ringfence/models';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { ringfence, type Said } from '../../support/terminal.ts';

let home: Installation;
let scene: Scene;
let folder: string;

/** No artifact yet. */
const policy = `features:
  payeeRun: { fraudRun: true, after: 7d, by: payee.id, over: 30d }
  clientAverage: { avg: order.amount, by: client.id, over: 30d, excluding: this }
models:
  payments:
    # Trained each month.
    on: [operation]
    inputs: { amount: order.amount, overAverage: double(order.amount) / double(clientAverage), payeeRun: payeeRun }
rules:
  - { reason: 1, name: likely, on: [operation], when: model.payments.p > 0.5 && model.payments.missing < 3, then: { action: 4, message: x } }
`;
const days = 80;
const aDay = 60;

/** Amounts above 900 are fraud, and so are most payments to every tenth payee. */
function history(): string {
  const lines = ['at,client,payee,amount,fraud'];
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let row = 0; row < days * aDay; row++) {
    const [payee, amount] = [random(50), 1 + random(1_000)];
    const isFraud = amount > 900 || (payee % 10 === 0 && random(4) > 0);
    lines.push(`${1_600_000_000 + row * (86_400 / aDay)},c${random(100)},p${payee},${amount}.50,${isFraud ? 1 : 0}`);
  }
  return `${lines.join('\n')}\n`;
}

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  folder = mkdtempSync(join(tmpdir(), 'ringfence-train-'));
  write('payments.csv', history());
  write(
    'mapping.yaml',
    `time: { column: at, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation:
  channelId: { value: 1 }
  account.client: client
  accountTo.accountNumber: payee
  order.amount: amount
  order.currency: { value: MXN }
`,
  );
  mkdirSync(join(folder, 'next'));
  write('next/rules.yaml', policy);
  await run('import payments.csv -m mapping.yaml -w bank');
});
afterAll(async () => {
  await scene.close();
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

function run(line: string): Promise<Said> {
  return ringfence(line, { environment: { ...home.environment, USER: 'mara' }, folder });
}

const train = 'model train payments --policy next --history payments -w bank';

it('refuses a model that is not declared, a direction of no input, and a malformed time', async () => {
  expect(await run(train.replace('payments --policy', 'cards --policy'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('declares no model cards; it has payments.'),
  });
  expect(await run(`${train} --up amonut`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'amonut can have no direction: the inputs of payments that can are amount, overAverage',
    ),
  });
  expect(await run(`${train} --delay soon`)).toMatchObject({ code: 2, err: expect.stringContaining('--delay') });
});

it('refuses too few frauds, and says how many are missing', async () => {
  const said = await run(`${train} --from 2020-11-10`);
  expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/\d+ rows are known frauds; 200 are needed/) });
  expect(readdirSync(join(folder, 'next'))).toEqual(['rules.yaml']);
});

it('writes the same artifact each time, its card, and its SHA-256 into the policy', async () => {
  const said = await run(`${train} --json --scores scores.csv`);
  expect(said).toMatchObject({ code: 0, err: '' });
  const card = JSON.parse(said.out) as ModelCard;
  const text = read('next/models/payments.json');
  expect(card.sha256).toBe(sha256(text));
  const [predicted, observed] = (['meanPredicted', 'observed'] as const).map((name) =>
    card.calibration.reduce((sum, bin) => sum + bin.events * bin[name], 0),
  );
  expect(Math.abs(predicted! / observed! - 1)).toBeLessThan(0.1);
  expect(card.folds.map(({ budgets }) => budgets.length)).toEqual([0, 3, 3, 3]);
  expect(card.folds.map(({ areaUnderRoc = 0 }) => areaUnderRoc).every((area) => area > 0.8)).toBe(true);
  expect(read('next/rules.yaml')).toBe(
    policy.replace(
      'on: [operation]\n    inputs',
      `sha256: "${card.sha256}"\n    artifact: models/payments.json\n    on: [operation]\n    inputs`,
    ),
  );
  expect(JSON.parse(read('next/models/payments.card.json'))).toEqual(card);
  await run(train);
  expect(read('next/models/payments.json')).toBe(text);
  expect(await run('policy check next')).toMatchObject({ code: 0, out: expect.stringContaining('no mistakes') });
});

it('keeps what it was trained on with the artifact: about ten bins of the result and of each input', () => {
  const artifact = readArtifact(read('next/models/payments.json'));
  if (!artifact.ok) throw new Error('the artifact cannot be read');
  const { population, inputs } = artifact.value;
  const card = JSON.parse(read('next/models/payments.card.json')) as ModelCard;
  expect(population!.inputs).toEqual(card.inputs.map((input) => input.population));
  const totals = [population!.margins, ...population!.inputs].map(({ counts }) =>
    counts.reduce((sum, count) => sum + count, 0),
  );
  const all = card.labels.frauds + card.labels.legitimate;
  expect(totals.every((total) => Math.abs(total - all) < all / 100)).toBe(true);
  const amount = population!.inputs[inputs.findIndex(({ name }) => name === 'amount')]!;
  expect(amount.edges).toHaveLength(9);
  expect(amount.counts.slice(0, -1).every((count) => Math.abs(count - all / 10) < all / 50)).toBe(true);
});

it('shows weeks, inputs and thresholds', async () => {
  const { out } = await run(train);
  expect(out).toMatch(/^Trained on \d+ frauds and [\d,]+ of [\d,]+ legitimate events/);
  expect(out).toContain('payeeRun');
  expect(out).toMatch(/40 alerts a day +\d+\.\d{3}/);
  expect(out).toMatch(/calibrated by the other weeks[^]+ 0\.\d{5} \(0\.\d{5} to \d\.\d{5}\)/);
  expect(out).toMatch(/thresholds that only the weeks before chose:\n[^]+2020-\d\d-\d\d +20 +\d+\.\d +\d+\.\d/);
});

it('writes what the model reads of each event, as the training reads it', async () => {
  const said = await run('model inputs payments inputs.csv --policy next --history payments -w bank --delay 0d --json');
  expect(said).toMatchObject({ code: 0, err: '' });
  const text = read('inputs.csv');
  const [header, ...lines] = text.trimEnd().split('\n');
  expect(JSON.parse(said.out)).toMatchObject({ lines: lines.length, sha256: sha256(text) });
  expect(header).toBe('offset,at,label,amount,overAverage,payeeRun');
  const rows = read('payments.csv').trimEnd().split('\n').slice(1);
  // The first quarter is left out, while windows fill.
  const skipped = rows.length - lines.length;
  expect(skipped).toBe(Math.ceil(rows.length / 4));
  lines.forEach((line, at) => {
    const [offset, time, label, amount] = line.split(',');
    const [seconds, , , given, fraud] = rows[skipped + at]!.split(',');
    expect([Number(offset), Date.parse(time!), label, Number(amount)]).toEqual([
      skipped + at,
      Number(seconds) * 1_000,
      fraud === '1' ? 'fraud' : 'legitimate',
      Number(given),
    ]);
  });
  const scores = read('scores.csv').trimEnd().split('\n').slice(1);
  const scored = scores.map((line) => line.split(',').slice(0, 3).join(','));
  expect(lines.map((line) => line.split(',').slice(0, 3).join(','))).toEqual(expect.arrayContaining(scored));
});

it('has the same inputs in a backtest as in the training', async () => {
  const said = await run(
    'backtest --policy next --history payments -w bank --against nothing --scores live.csv --score model.payments.p --json',
  );
  expect(said).toMatchObject({ code: 0, err: '' });
  const artifact = readArtifact(read('next/models/payments.json'));
  if (!artifact.ok) throw new Error('the artifact cannot be read');
  expect(artifact.value.calibration).toBeDefined();
  const ensemble = new Ensemble(artifact.value);
  const rows = read('payments.csv').trimEnd().split('\n').slice(1);
  const scored = read('live.csv').trimEnd().split('\n').slice(1);
  expect(scored).toHaveLength(rows.length);
  // The first payment of each client has no average, and no payee has a run within the first week.
  const isFirst = rows
    .slice(0, 7 * aDay)
    .map((row, at) => !rows.slice(0, at).some((one) => one.split(',')[1] === row.split(',')[1]));
  const checked = isFirst.flatMap((first, at) => (first ? [at] : []));
  expect(checked.length).toBeGreaterThan(50);
  for (const at of checked) {
    const amount = Number(rows[at]!.split(',')[3]);
    const expected = calibratedProbability(artifact.value, ensemble.margin(Float64Array.of(amount, Number.NaN, 0)));
    expect(scored[at]!.split(',')[4]).toBe(String(expected));
  }
});

it('names the results that a backtest can write as scores', async () => {
  const said = await run('backtest --policy next --history payments -w bank --scores a.csv --score model.cards.p');
  expect(said).toMatchObject({ code: 2, err: expect.stringContaining('expected rules, model.payments.p') });
});

/** One tree of LightGBM: is the amount above 900, or the payee in a run of fraud? */
const lightgbm = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=amount f1
feature_infos=[0:1000] [0:9]
tree_sizes=400

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
split_gain=9 4
threshold=900 0.5
decision_type=2 2
left_child=1 -1
right_child=-2 -3
leaf_value=-3.5 2 1.25
leaf_weight=1 1 1
leaf_count=700 100 200
internal_value=0 0
internal_weight=0 0
internal_count=1000 900
is_linear=0
shrinkage=1


end of trees
`;

it('takes a model of LightGBM, with the scores of a history', async () => {
  mkdirSync(join(folder, 'brought'));
  write(
    'brought/rules.yaml',
    policy
      .replace(', overAverage: double(order.amount) / double(clientAverage)', '')
      .replace('model.payments.missing < 3', 'model.payments.score > 950'),
  );
  write('model.txt', lightgbm);
  const line = 'model import payments model.txt --policy brought -w bank';
  expect(await run(line)).toMatchObject({ code: 1, err: expect.stringContaining('the model has no input payeeRun') });
  expect(readdirSync(join(folder, 'brought'))).toEqual(['rules.yaml']);
  write('map.yaml', 'f1: payeeRun\n');
  expect(await run(`${line} --map map.yaml`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('model.payments.score'),
  });
  const said = await run(`${line} --map map.yaml --history payments`);
  expect(said).toMatchObject({ code: 0, out: expect.stringContaining('Imported 1 tree over 2 inputs') });
  expect(await run('policy check brought')).toMatchObject({ code: 0 });
  const artifact = readArtifact(read('brought/models/payments.json'));
  expect(artifact).toMatchObject({ ok: true, value: { inputs: [{ name: 'amount' }, { name: 'payeeRun' }] } });
  const margin = artifact.ok ? new Ensemble(artifact.value).margin(Float64Array.of(950, 0)) : Number.NaN;
  expect(margin).toBe(2);
  const [amount, payeeRun] = (artifact.ok ? artifact.value.population : undefined)!.inputs;
  expect(amount!.edges).toHaveLength(9);
  // Most payees have no run, and none has one within the first week.
  expect(payeeRun!.counts[0]).toBeGreaterThan(1_000);
});
