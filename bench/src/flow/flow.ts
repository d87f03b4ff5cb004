import { connectToEmbedded, startWebhookReceiver } from '@ringfence/e2e';
import { startProduct } from '../product/start-product.ts';
import { profileFolder } from '../profile/profile-folder.ts';
import type { Bar } from '../report/bars.ts';
import { type LoadOptions, paymentTraffic } from './stage.ts';
import { throughput } from './throughput.ts';
import { webhookLatency } from './webhook-latency.ts';

interface FlowOptions extends LoadOptions {
  /** Payments per second of the first part; `rate` is that of the second. */
  readonly payments: number;
  /** Profiles the service with V8's profiler, which costs some percent. */
  readonly profile: boolean;
}

/**
 * End to end: payments accepted, decided by the starter policy and recorded at one rate, then events of which one
 * operation in eight is a payment at another, then the latency from a 200 to the webhook's POST. The generator and the bank run on the same machine as the service.
 */
export async function flow(options: FlowOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const profile = await profileFolder(options.profile);
  const product = await startProduct({ webhookUrl: receiver.url, nodeArguments: profile.nodeArguments });
  const database = await connectToEmbedded(product.stateFolder);
  try {
    const stage = { product, database, receiver, print };
    return [
      ...(await throughput(
        stage,
        { ...options, rate: options.payments },
        { name: 'payments', ...paymentTraffic, run: 1 },
      )),
      ...(await throughput(stage, options, { name: 'mixed', run: 2 })),
      ...(await webhookLatency(stage, options)),
    ];
  } finally {
    await database.end();
    await product.stop();
    print(profile.print());
    await profile.remove();
    await receiver.close();
  }
}
