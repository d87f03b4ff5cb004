import { startWebhookReceiver } from '@ringfence/e2e';
import { type LoadOptions, latencies, notAccepted, planOf } from './flow/stage.ts';
import { runLoad } from './load/run-load.ts';
import { startProduct } from './product/start-product.ts';
import type { Bar } from './report/bars.ts';
import { figure, table } from './report/table.ts';

const p50MsMax = 15;
/** The maximum wait that the service grants. */
const waitSeconds = 5;
const warmUpSeconds = 10;
/** Some rules close sessions: their later operations would measure the wait for a new login. */
const sessionGraceSeconds = 0;

/**
 * The latency from the moment a request is due to its 200, when every request waits for its decision: `Prefer: wait=5`.
 */
export async function wait(options: LoadOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const product = await startProduct({ webhookUrl: receiver.url, sessionGraceSeconds });
  try {
    // A service that has just started lags for seconds, which would distort latencies.
    await runLoad(planOf(product, { ...options, seconds: warmUpSeconds, markEvery: 0, run: 1 }));
    const load = await runLoad(planOf(product, { ...options, markEvery: 0, run: 2, waitSeconds }));
    print(
      table([
        ['decided/s', 'p50', 'p99', 'slowest'],
        [figure((load.decided / load.answers) * load.perSecond), ...latencies(load.latency)],
      ]),
    );
    const undecided = load.answers - load.decided;
    return [
      { what: 'responses other than 200', measured: notAccepted(load), bar: 0, must: 'stay below', unit: '' },
      { what: 'answers without a decision', measured: undecided, bar: 0, must: 'stay below', unit: '' },
      {
        what: 'decision in the response, p50',
        measured: load.latency.quantileUs(0.5) / 1_000,
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
