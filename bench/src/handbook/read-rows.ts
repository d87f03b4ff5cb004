import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { assert } from '@ringfence/contract';
import { emptyRows, type Rows } from './rows.ts';
import { syntheticRows } from './synthetic-rows.ts';

const usualPlace = fileURLToPath(new URL('../../../../shared/data/handbook_raw.csv.gz', import.meta.url));
const header = 'tx_id,epoch_s,customer,terminal,amount,fraud,scenario';

/**
 * The simulated card operations of the Fraud Detection Handbook: 1,754,155 over six months, 4,990 customers, 10,000
 * terminals. Read from `RINGFENCE_HANDBOOK`, or from the folder beside the repository; without a file, generates rows
 * of the same shape from the seed.
 *
 * @throws InvariantError if the file has other columns or is not in order of time
 */
export function readRows(seed: number): Rows {
  const path = process.env['RINGFENCE_HANDBOOK'] ?? usualPlace;
  if (!existsSync(path)) return syntheticRows(seed);
  return parseRows(gunzipSync(readFileSync(path)).toString('latin1'));
}

export function parseRows(text: string): Rows {
  const lines = text.trimEnd().split('\n');
  assert(lines[0] === header, 'the file has the columns of the handbook');
  const rows = emptyRows('handbook', lines.length - 1);
  for (let i = 0; i < rows.count; i++) {
    const [, epochS, customer, terminal, amount, fraud, scenario] = (lines[i + 1] ?? '').split(',');
    rows.epochS[i] = Number(epochS);
    rows.customer[i] = Number(customer);
    rows.terminal[i] = Number(terminal);
    rows.amountCents[i] = Math.round(Number(amount) * 100);
    rows.fraud[i] = Number(fraud);
    rows.scenario[i] = Number(scenario);
    assert(i === 0 || (rows.epochS[i] ?? 0) >= (rows.epochS[i - 1] ?? 0), 'the rows are in order of time');
  }
  return rows;
}
