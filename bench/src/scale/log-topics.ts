import { Admin } from '@platformatic/kafka';
import { eventually, type InstallationPlan } from '@ringfence/e2e';
import { type Cluster, startBrokers } from '../../../tools/testing/kafka/brokers.ts';
import { QuotaGroup } from './quota.ts';

export type LogTopic = NonNullable<InstallationPlan['logTopic']>;

/** Three brokers with a topic for each installation: one keeps the bytes of one log. */
export interface LogTopics {
  make(): Promise<LogTopic>;
  /** Processor time of the three, which have no limit. */
  usedMs(): Promise<number>;
  close(): Promise<void>;
}

const configs = [
  { name: 'min.insync.replicas', value: '2' },
  { name: 'unclean.leader.election.enable', value: 'false' },
  { name: 'retention.ms', value: '-1' },
  { name: 'max.message.bytes', value: '8388608' },
];
/** As the guide recommends. */
const partitionsOfLog = 1;
const inSyncWithinMs = 60_000;

export async function startLogTopics(): Promise<LogTopics> {
  const cluster = await startBrokers();
  const group = await QuotaGroup.make('most');
  for (const broker of cluster.brokers) await group.take(broker.pid());
  let made = 0;
  return {
    make: () => makeLogTopic(cluster, `ringfence-log-${++made}`),
    usedMs: () => group.usedMs(),
    close: async () => {
      await cluster.close();
      await group.remove();
    },
  };
}

/** Makes a topic that keeps a log. */
export async function makeLogTopic(
  { addresses, brokers }: Cluster,
  topic: string,
  partitions = partitionsOfLog,
): Promise<LogTopic> {
  const admin = new Admin({ clientId: 'bench', bootstrapBrokers: [...addresses], retries: 3 });
  await admin.createTopics({ topics: [topic], partitions, replicas: brokers.length, configs });
  await admin.close();
  return { brokers: addresses, topic };
}

/** Resolves when every broker has all of the topic. */
export async function untilInSync({ addresses, brokers }: Cluster, topic: string): Promise<void> {
  await eventually('all brokers are in sync', inSyncWithinMs, async () => {
    const admin = new Admin({ clientId: 'bench', bootstrapBrokers: [...addresses], retries: 3 });
    try {
      const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
      const all = Object.values(topics.get(topic)?.partitions ?? {});
      return all.length > 0 && all.every(({ isr }) => isr.length === brokers.length) ? true : undefined;
    } finally {
      await admin.close();
    }
  });
}
