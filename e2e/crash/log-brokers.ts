import { setTimeout as sleep } from 'node:timers/promises';
import { Admin } from '@platformatic/kafka';
import { type Broker, type BrokerHost, startBrokers, untilAllAreMembers } from '../../tools/testing/kafka/brokers.ts';
import type { InstallationPlan } from '../harness/installation.ts';

/** Three brokers with a topic for the log. */
export interface LogBrokers {
  readonly topic: NonNullable<InstallationPlan['logTopic']>;
  readonly brokers: readonly Broker[];
  /** A broker that leads a partition of the topic, or one that leads none of the busiest. */
  find(which: 'leader' | 'follower'): Promise<Broker>;
  close(): Promise<void>;
}

const settings = {
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
  'retention.ms': '-1',
  'max.message.bytes': '8388608',
};
const triesMax = 100;

/**
 * @param changes settings of the topic that differ from safe ones
 * @param hosts of the brokers, within reach of this process; by default all are on loopback
 */
export async function startLogBrokers(
  changes: Readonly<Record<string, string>> = {},
  hosts: readonly BrokerHost[] = [],
): Promise<LogBrokers> {
  const cluster = await startBrokers(hosts);
  if (hosts.length > 0) await untilAllAreMembers(cluster.addresses);
  const topic = 'ringfence-log';
  const configs = Object.entries({ ...settings, ...changes }).map(([name, value]) => ({ name, value }));
  const admin = (): Admin =>
    new Admin({ clientId: 'crash', bootstrapBrokers: [...cluster.addresses], retries: 3, retryDelay: 200 });
  const making = admin();
  // One partition: its leader is the one that every append needs.
  await making.createTopics({ topics: [topic], partitions: 1, replicas: 3, configs });
  await making.close();
  return {
    topic: { brokers: cluster.addresses, topic },
    brokers: cluster.brokers,
    find: async (which) => {
      for (let tries = 1; ; tries++) {
        const asking = admin();
        try {
          const metadata = await asking.metadata({ topics: [topic], forceUpdate: true });
          const leader = metadata.topics.get(topic)!.partitions[0]!.leader;
          const address = metadata.brokers.get(leader);
          const place = cluster.addresses.indexOf(`${address?.host}:${address?.port}`);
          if (place !== -1) return cluster.brokers[which === 'leader' ? place : (place + 1) % 3]!;
        } catch (error) {
          if (tries === triesMax) throw error;
        } finally {
          await asking.close();
        }
        await sleep(200);
      }
    },
    close: () => cluster.close(),
  };
}
