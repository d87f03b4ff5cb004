import { connectToEmbedded, startWebhookReceiver } from '@ringfence/e2e';
import { startProduct } from '../product/start-product.ts';
import { profileFolder } from '../profile/profile-folder.ts';
import type { Bar } from '../report/bars.ts';
import type { FlowOptions } from './stage.ts';
import { throughput } from './throughput.ts';
import { webhookLatency } from './webhook-latency.ts';

/**
 * End to end: events accepted, decided by the starter policy and recorded at the full rate, then the latency from a 200
 * to the webhook's POST at a tenth of it. The generator and the bank run on the same machine as the service.
 */
export async function flow(options: FlowOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const profile = await profileFolder(options.profile ?? false);
  const product = await startProduct({ webhookUrl: receiver.url, nodeArguments: profile.nodeArguments });
  const database = await connectToEmbedded(product.stateFolder);
  try {
    const stage = { product, database, receiver, print };
    return [...(await throughput(stage, options)), ...(await webhookLatency(stage, options))];
  } finally {
    await database.end();
    await product.stop();
    print(profile.print());
    await profile.remove();
    await receiver.close();
  }
}
