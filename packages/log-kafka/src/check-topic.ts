import { Admin, ConfigResourceTypes } from '@platformatic/kafka';
import { StoreUnavailableError } from '@ringfence/log';
import { clientOptions, type KafkaSettings } from './kafka-settings.ts';

/** Why the topic could lose what it has, or refuse what it should take. */
export interface TopicFault {
  readonly detail: string;
  /** What an operator does about it. */
  readonly mend: string;
}

const replicasMin = 3;
const inSyncMin = 2;
/** The default of Kafka; a full flight of the log has half of it. */
const messageBytesMin = 1_048_576;
/** Clocks of processes may differ, and one that comes back from a suspension sends what it has. */
const beforeMsMin = 86_400_000;
const afterMsMin = 3_600_000;

/** What a broker says of a topic. */
export interface TopicState {
  /** Of the partition that has the fewest. */
  readonly replicas: number;
  readonly partitions: number;
  readonly configs: ReadonlyMap<string, string>;
}

/**
 * Everything that is wrong with the topic; empty if it can keep the log.
 *
 * @throws StoreUnavailableError when no broker answers
 */
export async function checkTopic(settings: KafkaSettings): Promise<readonly TopicFault[]> {
  const state = await readTopic(settings);
  if (state === undefined) {
    const { topic } = settings;
    const configs = 'retention.ms=-1,retention.bytes=-1,cleanup.policy=delete'.split(',');
    const options = [
      ...configs,
      'min.insync.replicas=2',
      'unclean.leader.election.enable=false',
      'max.message.bytes=8388608',
    ];
    const mend = `kafka-topics --create --topic ${topic} --partitions 1 --replication-factor 3${options.map((one) => ` --config ${one}`).join('')}`;
    return [{ detail: `There is no topic ${topic}.`, mend }];
  }
  return faultsOf(settings.topic, state);
}

/** `undefined`: there is no such topic. */
export async function readTopic(settings: KafkaSettings): Promise<TopicState | undefined> {
  const { topic } = settings;
  const admin = new Admin(clientOptions(settings));
  try {
    const topics = await admin.listTopics();
    if (!topics.includes(topic)) return undefined;
    const metadata = await admin.metadata({ topics: [topic], forceUpdate: true });
    const { partitions } = metadata.topics.get(topic)!;
    const [described] = await admin.describeConfigs({
      resources: [{ resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configurationKeys: [] }],
    });
    const configs = new Map((described?.configs ?? []).map(({ name, value }) => [name, value ?? '']));
    return {
      replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      partitions: partitions.length,
      configs,
    };
  } catch (cause) {
    throw new StoreUnavailableError(`no broker of ${settings.bootstrapBrokers.join(', ')} answers`, { cause });
  } finally {
    await admin.close().catch(() => {});
  }
}

export function faultsOf(topic: string, { replicas, configs }: TopicState): readonly TopicFault[] {
  const number = (name: string): number => Number(configs.get(name));
  const set = (change: string): string =>
    `kafka-configs --alter --entity-type topics --entity-name ${topic} --add-config ${change}`;
  const stamps = configs.get('message.timestamp.type') === 'LogAppendTime';
  const checks: readonly (TopicFault | false)[] = [
    replicas < replicasMin && {
      detail: `The topic ${topic} has ${replicas} replicas of a partition: one broker that is lost while another one restarts would take records with it.`,
      mend: `kafka-reassign-partitions: give every partition of ${topic} three replicas, on machines with separate power`,
    },
    number('min.insync.replicas') < inSyncMin && {
      detail: `The topic ${topic} confirms a record that only one broker has (min.insync.replicas).`,
      mend: set('min.insync.replicas=2'),
    },
    configs.get('unclean.leader.election.enable') !== 'false' && {
      detail: `The topic ${topic} may elect a leader that lacks confirmed records (unclean.leader.election.enable).`,
      mend: set('unclean.leader.election.enable=false'),
    },
    number('retention.ms') !== -1 && {
      detail: `The topic ${topic} deletes records by their age (retention.ms); only Ringfence knows which are needed.`,
      mend: set('retention.ms=-1'),
    },
    number('retention.bytes') !== -1 && {
      detail: `The topic ${topic} deletes records by its size (retention.bytes); only Ringfence knows which are needed.`,
      mend: set('retention.bytes=-1'),
    },
    configs.get('cleanup.policy') !== 'delete' && {
      detail: `The topic ${topic} is compacted (cleanup.policy), which deletes records.`,
      mend: set('cleanup.policy=delete'),
    },
    number('max.message.bytes') < messageBytesMin && {
      detail: `The topic ${topic} takes messages of at most ${configs.get('max.message.bytes')} bytes (max.message.bytes); larger appends would always go to PostgreSQL.`,
      mend: set('max.message.bytes=8388608'),
    },
    !stamps &&
      number('message.timestamp.before.max.ms') < beforeMsMin && {
        detail: `The topic ${topic} refuses messages with an older time (message.timestamp.before.max.ms).`,
        mend: set('message.timestamp.type=LogAppendTime'),
      },
    !stamps &&
      number('message.timestamp.after.max.ms') < afterMsMin && {
        detail: `The topic ${topic} refuses messages with a later time (message.timestamp.after.max.ms).`,
        mend: set('message.timestamp.type=LogAppendTime'),
      },
  ];
  return checks.filter((check) => check !== false);
}
