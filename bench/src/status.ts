import { startWebhookReceiver } from '@ringfence/e2e';
import { type LoadOptions, latencies, notAccepted, planOf } from './flow/stage.ts';
import { runLoad } from './load/run-load.ts';
import { startProduct } from './product/start-product.ts';
import type { Bar } from './report/bars.ts';
import { figure, table } from './report/table.ts';

const p50MsMax = 20;
/** The first load runs longer, so that everything asked about was sent. */
const spareSeconds = 2;
/** Some rules close sessions: their later operations would wait for a new login. */
const sessionGraceSeconds = 0;

/**
 * The latency from the moment a question is due to its 200, beside as many events per second. Four of five questions
 * are about an operation by its reference, the others about a session. Without questions first: the baseline is the
 * latency of the events.
 */
export async function status(options: LoadOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const product = await startProduct({ webhookUrl: receiver.url, sessionGraceSeconds });
  try {
    const seconds = options.seconds + spareSeconds;
    const alone = await runLoad(planOf(product, { ...options, seconds, markEvery: 0, run: 1 }));
    const [events, asked] = await Promise.all([
      runLoad(planOf(product, { ...options, markEvery: 0, run: 2 })),
      runLoad(planOf(product, { ...options, markEvery: 0, run: 1, asks: true })),
    ]);
    print(
      table([
        ['', '200 per second', 'p50', 'p99', 'slowest'],
        ['events alone', figure(alone.perSecond), ...latencies(alone.latency)],
        ['events', figure(events.perSecond), ...latencies(events.latency)],
        ['questions beside them', figure(asked.perSecond), ...latencies(asked.latency)],
      ]),
    );
    return [
      {
        what: 'responses other than 200',
        measured: notAccepted(alone) + notAccepted(events) + notAccepted(asked),
        bar: 0,
        must: 'stay below',
        unit: '',
      },
      {
        what: 'status, p50',
        measured: asked.latency.quantileUs(0.5) / 1_000,
        bar: p50MsMax,
        must: 'stay below',
        unit: 'ms',
      },
    ];
  } finally {
    await product.stop();
    await receiver.close();
  }
}
