import { Admin } from '@platformatic/kafka';
import type { InstallationPlan } from '@ringfence/e2e';
import { startBrokers } from '../../../tools/testing/kafka/brokers.ts';
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
/** Each broker leads one. */
const partitions = 3;

export async function startLogTopics(): Promise<LogTopics> {
  const cluster = await startBrokers();
  const group = await QuotaGroup.make('most');
  for (const broker of cluster.brokers) await group.take(broker.pid());
  let made = 0;
  return {
    make: async () => {
      const topic = `ringfence-log-${++made}`;
      const admin = new Admin({ clientId: 'bench', bootstrapBrokers: [...cluster.addresses], retries: 3 });
      await admin.createTopics({ topics: [topic], partitions, replicas: cluster.brokers.length, configs });
      await admin.close();
      return { brokers: cluster.addresses, topic };
    },
    usedMs: () => group.usedMs(),
    close: async () => {
      await cluster.close();
      await group.remove();
    },
  };
}
