import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import { freePort, runCommand, startService, temporaryHome, writeInstallation } from '@ringfence/e2e';
import { readRows } from '../handbook/read-rows.ts';
import type { Rows } from '../handbook/rows.ts';
import { starterPolicyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';

export interface BacktestOptions {
  readonly seed: number;
}

/** The bar: all 1,754,155 operations of the handbook, forty rules, while the service runs. */
const secondsMax = 30;
const handbookRows = 1_754_155;
/** Far longer than an import or a backtest takes on a busy machine. */
const commandMs = 15 * 60_000;

const policy = fileURLToPath(new URL('../../policies/cards', import.meta.url));

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

/** The members of a result that are compared. */
interface Result {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly result: {
    readonly events: { readonly decided: number };
    readonly candidate: { readonly flagged: { readonly events: number; readonly fraud: number } };
    readonly digest: string;
  };
}

/**
 * A typical use of the command line beside a running service: imports the card operations of the handbook, and
 * backtests a policy of forty rules on them twice. Without the file, generates rows of the same shape, and scales the
 * bar with their number.
 */
export async function backtest({ seed }: BacktestOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const rows = readRows(seed);
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
    const files = join(home.path, 'files');
    await mkdir(files);
    await writeCsv(rows, join(files, 'handbook.csv'));
    await writeFile(join(files, 'mapping.yaml'), mapping);
    const run = (...args: readonly string[]) => command([...args, '--config', configFile, '--json']);
    const begunMs = performance.now();
    await run('import', join(files, 'handbook.csv'), '-m', join(files, 'mapping.yaml'), '--name', 'handbook');
    const importS = (performance.now() - begunMs) / 1_000;
    const tried = ['backtest', '--policy', policy, '--history', 'handbook', '--against', 'nothing'];
    const [first, second] = [await run(...tried), await run(...tried)] as [Result, Result];
    return report({ rows, importS, first, second }, print);
  } finally {
    await service.stop();
    await home.remove();
  }
}

interface Measured {
  readonly rows: Rows;
  readonly importS: number;
  readonly first: Result;
  readonly second: Result;
}

function report({ rows, importS, first, second }: Measured, print: (text: string) => void): readonly Bar[] {
  const seconds = [first, second].map(({ startedAtMs, endedAtMs }) => (endedAtMs - startedAtMs) / 1_000);
  const best = Math.min(...seconds);
  const { events, candidate, digest } = first.result;
  assert(events.decided === rows.count, 'every operation was decided');
  print(
    table([
      ['imported', 'lines/s', 'tried', 'again', 'operations/s', 'flagged', 'fraud among them'],
      [
        `${figure(importS)} s`,
        figure(rows.count / importS),
        `${figure(seconds[0]!)} s`,
        `${figure(seconds[1]!)} s`,
        figure(rows.count / best),
        figure(candidate.flagged.events),
        figure(candidate.flagged.fraud),
      ],
    ]),
  );
  print(`SHA-256 of all decisions: ${digest}\n`);
  const bar = (secondsMax * rows.count) / handbookRows;
  return [
    { what: `a backtest of ${figure(rows.count)} operations`, measured: best, bar, must: 'stay below', unit: 's' },
    {
      what: 'second backtest: the same SHA-256',
      measured: digest === second.result.digest ? 1 : 0,
      bar: 1,
      must: 'reach',
      unit: '',
    },
  ];
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
