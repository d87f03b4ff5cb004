import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { assert } from '@ringfence/contract';
import { freePort, runCommand, startService, temporaryHome, writeInstallation } from '@ringfence/e2e';
import { starterPolicyFiles } from '../product/bench-policy.ts';
import { figure } from '../report/table.ts';
import type { Rows } from './rows.ts';

/** A running service whose workspace has the rows as the history `handbook`. */
export interface ImportedRows {
  readonly importS: number;
  /** A folder for files, removed at the end. */
  readonly folder: string;
  /** Runs a command of `ringfence`. @returns what it prints as JSON */
  readonly run: (...args: readonly string[]) => Promise<unknown>;
}

/** The name of the imported history. */
export const historyName = 'handbook';

/** Far longer than an import or a backtest takes on a busy machine. */
const commandMs = 15 * 60_000;

const mapping = `time: { column: epoch_s, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation:
  channelId: { value: 1 }
  transaction.category: { value: card }
  transaction.reference: tx_id
  account.client: customer
  order.amount: amount
  order.currency: { value: EUR }
  accountTo.accountNumber: terminal
`;

/**
 * Starts a service in a temporary folder, imports the rows with the product's own command, and works with them
 * meanwhile.
 */
export async function withImportedRows<Result>(
  rows: Rows,
  print: (text: string) => void,
  work: (imported: ImportedRows) => Promise<Result>,
): Promise<Result> {
  print(`${rows.source}: ${figure(rows.count)} operations\n`);
  const home = await temporaryHome('bench');
  const [port, managementPort] = [await freePort(), await freePort()];
  const licenseKey = `bench-license-key-${'0'.repeat(32)}`;
  const starter = Object.fromEntries((await starterPolicyFiles()).map(({ path, text }) => [path, text]));
  const webhookUrl = 'http://127.0.0.1:9/webhook';
  const plan = { home: home.path, port, managementPort, licenseKey, webhookUrl, policy: starter };
  const configFile = await writeInstallation(plan);
  const service = await startService({ configFile, port, managementPort });
  try {
    const folder = join(home.path, 'files');
    await mkdir(folder);
    const [csv, mappingFile] = [join(folder, 'handbook.csv'), join(folder, 'mapping.yaml')];
    await writeCsv(rows, csv);
    await writeFile(mappingFile, mapping);
    const run = (...args: readonly string[]) => command([...args, '--config', configFile, '--json']);
    print('importing: ');
    const begunMs = performance.now();
    await run('import', csv, '-m', mappingFile, '--name', historyName);
    const importS = (performance.now() - begunMs) / 1_000;
    print(`${figure(importS)} s\n`);
    return await work({ importS, folder, run });
  } finally {
    await service.stop();
    await home.remove();
  }
}

async function writeCsv(rows: Rows, path: string): Promise<void> {
  const file = createWriteStream(path);
  file.write('tx_id,epoch_s,customer,terminal,amount,fraud\n');
  const piece: string[] = [];
  for (let i = 0; i < rows.count; i++) {
    const amount = ((rows.amountCents[i] ?? 0) / 100).toFixed(2);
    piece.push(
      `${i},${rows.epochS[i]},${rows.customer[i]},${String(rows.terminal[i]).padStart(5, '0')},${amount},${rows.fraud[i]}`,
    );
    if (piece.length < 10_000 && i + 1 < rows.count) continue;
    file.write(`${piece.join('\n')}\n`);
    piece.length = 0;
  }
  file.end();
  await finished(file);
}

async function command(args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runCommand(args, {}, commandMs);
  assert(code === 0, `ringfence ${args[0]} failed: ${stderr}`);
  return JSON.parse(stdout);
}
