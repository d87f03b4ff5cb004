import { createReadStream } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import { loadPolicy } from '@ringfence/policy';
import { policyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { crowdDays, crowdErrors, crowdFeatures, crowdPolicy } from './crowd.ts';
import { entitiesOf, type FeatureByHand, valueByHand } from './feature-by-hand.ts';
import { historyName, type ImportedRows } from './import-rows.ts';
import { daySeconds, firstDayEpochS, type Rows } from './rows.ts';

const day = daySeconds;
const hour = 3_600;

/** Of `bench/policies/handbook`. */
const known = (overS: number, afterS = 7 * day): FeatureByHand => ({
  kind: 'fraudShare',
  by: 'terminal',
  overS,
  afterS,
  amountCentsMax: 22_000,
});
const counted = (overS: number): FeatureByHand => ({ kind: 'count', by: 'terminal', overS, amountCentsMax: 22_000 });
const rulesFeatures: Readonly<Record<string, FeatureByHand>> = {
  clientMedian90d: { kind: 'median', by: 'customer', overS: 90 * day, isWithoutThis: true },
  clientMax14d: { kind: 'largest', by: 'customer', overS: 14 * day, isWithoutThis: true },
  terminalKnown12h: known(180 * hour),
  terminalKnown1d: known(8 * day),
  terminalKnown36h: known(204 * hour),
  terminalKnown2d: known(9 * day),
  terminalKnown60h: known(228 * hour),
  terminalKnown3d: known(10 * day),
  terminalKnown4d: known(11 * day),
  terminalKnown6d: known(13 * day),
  terminalKnown10d: known(17 * day),
  terminalKnown21d: known(28 * day),
  terminalEarlier: known(90 * day, 28 * day),
  terminalCount28d: counted(28 * day),
  terminalCount7d: counted(7 * day),
};

/** Of `bench/policies/handbook-model`. */
const ofPayee = (kind: FeatureByHand['kind'], overS = 90 * day): FeatureByHand => ({
  kind,
  by: 'terminal',
  overS,
  afterS: 7 * day,
});
const modelFeatures: Readonly<Record<string, FeatureByHand>> = {
  clientMedian90d: { kind: 'median', by: 'customer', overS: 90 * day, isWithoutThis: true },
  clientAverage90d: { kind: 'average', by: 'customer', overS: 90 * day, isWithoutThis: true },
  clientLargest14d: { kind: 'largest', by: 'customer', overS: 14 * day },
  payeeRun: ofPayee('fraudRun'),
  payeeRunAge: ofPayee('fraudRunAge'),
  payeeSinceFraud: ofPayee('sinceFraud'),
  payeeSinceClear: ofPayee('sinceClear'),
  payeeFraud37d: ofPayee('fraudShare', 37 * day),
};

/**
 * Compares every feature of the handbook's policies, at every operation, with its value computed by hand from the rows.
 * The values are what the product's training reads at each decision. Features of all operations together, far more than
 * the rows that an entity keeps, are compared with the error that the reference states.
 */
export async function checkFeatures(
  rows: Rows,
  imported: ImportedRows,
  print: (text: string) => void,
): Promise<readonly Bar[]> {
  const shown = [['feature', 'values', 'unequal', 'missing']];
  const totals = { values: 0, unequal: 0 };
  for (const [policy, features] of Object.entries({ handbook: rulesFeatures, 'handbook-model': modelFeatures })) {
    const names = Object.keys(features);
    await assertNamesAll(policy, names);
    const file = await inputsOf(imported, policy, { names, more: '' });
    for (const one of await compared(rows, file, features)) {
      shown.push([one.name, ...[one.values, one.unequal, one.missing].map((count) => figure(count))]);
      totals.values += one.values;
      totals.unequal += one.unequal;
    }
  }
  print(`\n${table(shown)}\n${figure(totals.values)} values compared, ${figure(totals.unequal)} unequal\n`);
  const crowd = await inputsOf(imported, 'handbook-model', {
    names: crowdFeatures,
    more: crowdPolicy,
    toDay: crowdDays,
  });
  const errors = await crowdErrors(rows, (onLine) => eachLine(crowd, onLine));
  return [
    { what: 'features that differ from those by hand', measured: totals.unequal, bar: 0, must: 'stay below', unit: '' },
    ...errors,
  ];
}

/** A feature that is added to a policy is compared too. */
async function assertNamesAll(policy: string, names: readonly string[]): Promise<void> {
  const loaded = loadPolicy(await policyFiles(policy));
  assert(loaded.ok, 'the policy has no mistakes');
  const theirs = loaded.policy.features.map(({ name }) => name).toSorted();
  assert(theirs.join() === names.toSorted().join(), `each feature of ${policy} is computed by hand`);
}

/** The features at each decision, as a model that reads them all would: a CSV file. */
async function inputsOf(
  { run, folder }: ImportedRows,
  policy: string,
  { names, more, toDay }: { readonly names: readonly string[]; readonly more: string; readonly toDay?: number },
): Promise<string> {
  const own = join(folder, `check-${policy}-${names.length}`);
  await cp(fileURLToPath(new URL(`../../policies/${policy}`, import.meta.url)), own, { recursive: true });
  const inputs = names.map((name) => `      ${name}: ${name}\n`).join('');
  await writeFile(join(own, 'check.yaml'), `${more}models:\n  check:\n    on: [operation]\n    inputs:\n${inputs}`);
  const file = `${own}.csv`;
  const dateOf = (at: number): string => new Date((firstDayEpochS + at * day) * 1_000).toISOString().slice(0, 10);
  const all = ['--from', dateOf(-1), '--delay', '0d', ...(toDay === undefined ? [] : ['--to', dateOf(toDay)])];
  await run('model', 'inputs', 'check', file, '--policy', own, '--history', historyName, ...all);
  return file;
}

interface Compared {
  readonly name: string;
  readonly values: number;
  readonly unequal: number;
  readonly missing: number;
}

async function compared(
  rows: Rows,
  file: string,
  features: Readonly<Record<string, FeatureByHand>>,
): Promise<readonly Compared[]> {
  const entities = { customer: entitiesOf(rows, rows.customer), terminal: entitiesOf(rows, rows.terminal) };
  const all = Object.entries(features).map(([name, feature]) => ({
    name,
    feature,
    values: 0,
    unequal: 0,
    missing: 0,
  }));
  let read = 0;
  await eachLine(file, (row, cells) => {
    assert(row === read++, 'each row has one line, in order');
    all.forEach((one, at) => {
      const theirs = numberOf(cells[at]!);
      const ours = valueByHand(rows, entities[one.feature.by], { feature: one.feature, row });
      one.values++;
      if (Number.isNaN(ours)) one.missing++;
      if (!Object.is(theirs, ours)) one.unequal++;
    });
  });
  assert(read === rows.count, 'each row has a line');
  return all;
}

/** @param onLine the row, and the cells of its inputs. The history numbers its events in order of time, as the rows are. */
async function eachLine(file: string, onLine: (row: number, cells: readonly string[]) => void): Promise<void> {
  let isHeader = true;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const [offset, , , ...cells] = line.split(',');
    if (!isHeader) onLine(Number(offset), cells);
    isHeader = false;
  }
}

function numberOf(cell: string): number {
  return cell === '' ? NaN : Number(cell);
}
