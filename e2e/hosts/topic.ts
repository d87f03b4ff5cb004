import { Admin, ListOffsetTimestamps } from '@platformatic/kafka';
import type { LogBrokers } from '../crash/log-brokers.ts';
import { eventually } from '../harness/eventually.ts';

const askMsMax = 30_000;

/** How many messages were ever written to the topic of the log. */
export function countMessages({ topic: { topic, brokers } }: LogBrokers): Promise<number> {
  const topics = [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: ListOffsetTimestamps.LATEST }] }];
  return eventually('the topic says how long it is', askMsMax, () =>
    asking(brokers, async (admin) => {
      const [listed] = await admin.listOffsets({ topics });
      return Number(listed!.partitions[0]!.offset);
    }).catch(() => undefined),
  );
}

/** Waits until every broker has all of the topic. */
export async function untilInSync({ topic: { topic, brokers } }: LogBrokers, msMax: number): Promise<void> {
  await eventually('every broker has all of the topic', msMax, () =>
    asking(brokers, async (admin) => {
      const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
      return topics.get(topic)!.partitions[0]!.isr.length === brokers.length ? true : undefined;
    }).catch(() => undefined),
  );
}

async function asking<Answer>(brokers: readonly string[], ask: (admin: Admin) => Promise<Answer>): Promise<Answer> {
  const admin = new Admin({ clientId: 'hosts', bootstrapBrokers: [...brokers], retries: 3, retryDelay: 200 });
  try {
    return await ask(admin);
  } finally {
    await admin.close();
  }
}
