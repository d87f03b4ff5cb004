import { setTimeout as after } from 'node:timers/promises';
import { assert } from '@ringfence/contract';
import { developmentCostMax, loadPolicy } from '@ringfence/policy';
import { type Sent, sendSteadily } from './load/steady.ts';
import { startProduct } from './product/start-product.ts';
import type { Bar } from './report/bars.ts';
import { table, milliseconds } from './report/table.ts';
import { startWebhookReceiver } from '@ringfence/e2e';

export interface NeighbourOptions {
  /** Of each part. */
  readonly seconds: number;
  /** Operations per second of the production workspace, each waiting for its decision. */
  readonly rate: number;
  /** Of the development workspace: its share are some nine of 12 ms. */
  readonly noise: number;
}

const timesMax = 2;
const warmUpSeconds = 5;
const developmentKey = `bench-development-key-${'0'.repeat(32)}`;
const rulesMax = 100;
/** A pattern that visits each of its steps after every character of this text. */
const dearText = 'ab'.repeat(100);
const ruleOf = (at: number): string =>
  `  - { reason: ${at + 1}, name: rule ${at + 1}, on: [operation], when: 'transaction.category.matches("[ab]*a[ab]{100}[cd](${at})?")', then: { action: 4, message: m } }\n`;

/** A noisy neighbour: what production's callers wait for, alone and beside it. */
export async function neighbour(options: NeighbourOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const { text, cost } = dearestPolicy();
  const development = { licenseKey: developmentKey, policy: { 'dear.yaml': text } };
  const product = await startProduct({ webhookUrl: receiver.url, sessionGraceSeconds: 0, development });
  try {
    const production = { port: product.port, path: '/api/v5/analytics/app/operation', key: product.licenseKey };
    const noisy = { port: product.port, path: '/api-dev/v5/analytics/app/operation', key: developmentKey };
    const calm = { ...production, perSecond: options.rate, waits: true, category: 'transfer' };
    const noise = { ...noisy, perSecond: options.noise, waits: false, category: dearText };
    await sendSteadily(calm, after(warmUpSeconds * 1_000));
    const alone = await sendSteadily(calm, after(options.seconds * 1_000));
    const [beside, sent] = await Promise.all([
      sendSteadily(calm, after(options.seconds * 1_000)),
      sendSteadily(noise, after(options.seconds * 1_000)),
    ]);
    const row = (name: string, { waited, answers }: Sent): readonly string[] => [
      name,
      String(answers),
      milliseconds(waited.quantileUs(0.5)),
      milliseconds(waited.quantileUs(0.99)),
      milliseconds(waited.maxUs),
    ];
    print(
      table([
        [`development: ${cost} steps for one event`, '200', 'p50', 'p99', 'slowest'],
        row('production alone', alone),
        row('production beside it', beside),
        row('development', sent),
      ]),
    );
    const failed = alone.failed + beside.failed + sent.failed;
    const times = beside.waited.quantileUs(0.99) / alone.waited.quantileUs(0.99);
    return [
      { what: 'responses other than 200', measured: failed, bar: 0, must: 'stay below', unit: '' },
      { what: 'production, p99 beside it / alone', measured: times, bar: timesMax, must: 'stay below', unit: 'x' },
    ];
  } finally {
    await product.stop();
    await receiver.close();
  }
}

/** As many rules as a development workspace may have. */
function dearestPolicy(): { readonly text: string; readonly cost: number } {
  let dearest: { readonly text: string; readonly cost: number } | undefined;
  for (let count = 1; count <= rulesMax; count++) {
    const text = `rules:\n${Array.from({ length: count }, (_, at) => ruleOf(at)).join('')}`;
    const loaded = loadPolicy([{ path: 'dear.yaml', text }], { costMax: developmentCostMax });
    if (!loaded.ok) break;
    dearest = { text, cost: loaded.policy.cost };
  }
  assert(dearest !== undefined, 'one rule fits');
  return dearest;
}
