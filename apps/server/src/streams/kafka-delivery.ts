import { Admin, ConfigResourceTypes, ProduceAcks, Producer } from '@platformatic/kafka';
import { kafkaClientOptions } from '../platform/kafka-client.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { Delivery, Delivering } from './delivery.ts';
import { moveCursor } from './stream-cursors.ts';
import { reducedMessage } from './message-schemas.ts';
import type { KafkaTarget, StreamKind } from './stream-settings.ts';

/** Facts of one page: a few megabytes. */
const pageFacts = 500;
/** Pages of one cursor before the others have their turn. */
const pagesMax = 20;
/** A broker that does not answer for this long has failed. */
const requestTimeoutMs = 15_000;
const connectTimeoutMs = 5_000;
/** What the format of Kafka adds to a message, and to a batch of them, at most. */
const messageOverheadBytes = 100;
const batchOverheadBytes = 1_024;
const defaultPartitions = 6;
const replication = 3;

interface Topic {
  readonly name: string;
  /** Of a batch of messages; a single one is a batch too. */
  readonly bytesMax: number;
}

interface Encoded {
  readonly key: Buffer;
  readonly value: Buffer;
}

/**
 * Sends facts to one topic for each kind. A page leaves in order, and its cursor moves once all its messages are on
 * every replica in sync. After a failure, the page leaves again from its start: so in a partition, each message comes
 * before its successors at least once.
 */
export class KafkaDelivery implements Delivery {
  readonly #target: KafkaTarget;
  readonly #name: string;
  readonly #topics = new Map<StreamKind, Topic>();
  #producer: Producer | undefined;

  constructor(name: string, target: KafkaTarget) {
    this.#name = name;
    this.#target = target;
  }

  async deliver({ pool, cursor, read, mask, stop }: Delivering): Promise<boolean> {
    const topic = await this.#topic(cursor.kind);
    let { position } = cursor;
    for (let page = 0; page < pagesMax; page++) {
      const { facts, next, isMore } = await read(position, pageFacts);
      const messages = facts.map(({ key, message }) => encode(cursor.kind, { key, message: mask(message), topic }));
      for (const batch of batchesOf(messages, topic.bytesMax)) {
        stop.throwIfAborted();
        await this.#send(topic, batch);
      }
      if (next !== position) {
        const throughMs = facts.at(-1)?.atMs ?? cursor.throughMs;
        await moveCursor(pool, { ...cursor, position }, { position: next, throughMs, sent: facts.length });
        position = next;
      }
      if (!isMore) return true;
    }
    return false;
  }

  async reset(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    this.#topics.clear();
    await producer?.close(true).catch(() => undefined);
  }

  async #send(topic: Topic, batch: readonly Encoded[]): Promise<void> {
    this.#producer ??= new Producer({ ...this.#options(), idempotent: false });
    const messages = batch.map(({ key, value }) => ({ topic: topic.name, key, value }));
    await this.#producer.send({ messages, acks: ProduceAcks.ALL, idempotent: false, autocreateTopics: false });
  }

  /** Finds the topic, or creates it if it may. @throws OperatorError */
  async #topic(kind: StreamKind): Promise<Topic> {
    const known = this.#topics.get(kind);
    if (known !== undefined) return known;
    const name = `${this.#target.topic}.${kind}`;
    const admin = new Admin(this.#options());
    try {
      const topics = new Set(await admin.listTopics());
      if (!topics.has(name)) await this.#create(admin, name);
      const topic = { name, bytesMax: await bytesMaxOf(admin, name) };
      this.#topics.set(kind, topic);
      return topic;
    } finally {
      await admin.close();
    }
  }

  async #create(admin: Admin, name: string): Promise<void> {
    if (!this.#target.createTopics) {
      throw new OperatorError(
        `There is no topic ${name} in Kafka.`,
        `Create it: kafka-topics.sh --bootstrap-server ${this.#target.connection.brokers[0]} --create --topic ${name} --partitions ${defaultPartitions} --replication-factor ${replication} --config min.insync.replicas=2; or set createTopics: true for the stream.`,
      );
    }
    const { brokers } = await admin.metadata({ topics: [] });
    const replicas = Math.min(replication, brokers.size);
    const configs = replicas < replication ? [] : [{ name: 'min.insync.replicas', value: '2' }];
    await admin.createTopics({ topics: [name], partitions: defaultPartitions, replicas, configs });
  }

  #options() {
    return {
      clientId: `ringfence-stream-${this.#name}`,
      ...kafkaClientOptions(this.#target.connection),
      retries: 3,
      requestTimeout: requestTimeoutMs,
      connectTimeout: connectTimeoutMs,
    };
  }
}

/** The bytes of a batch that the topic takes. */
async function bytesMaxOf(admin: Admin, name: string): Promise<number> {
  const described = await admin.describeConfigs({
    resources: [
      { resourceType: ConfigResourceTypes.TOPIC, resourceName: name, configurationKeys: ['max.message.bytes'] },
    ],
  });
  return Number(described[0]?.configs.find((config) => config.name === 'max.message.bytes')?.value ?? 1_048_576);
}

function encode(
  kind: StreamKind,
  { key, message, topic }: { readonly key: string; readonly message: object; readonly topic: Topic },
): Encoded {
  const whole = { key: Buffer.from(key), value: Buffer.from(JSON.stringify(message)) };
  if (bytesOf(whole) + batchOverheadBytes <= topic.bytesMax) return whole;
  return { key: whole.key, value: Buffer.from(JSON.stringify(reducedMessage(kind, message))) };
}

function bytesOf({ key, value }: Encoded): number {
  return key.length + value.length + messageOverheadBytes;
}

/** In their order; a batch may all go to one partition. */
function* batchesOf(messages: readonly Encoded[], bytesMax: number): Generator<readonly Encoded[]> {
  let batch: Encoded[] = [];
  let bytes = batchOverheadBytes;
  for (const message of messages) {
    const more = bytesOf(message);
    if (batch.length > 0 && bytes + more > bytesMax) {
      yield batch;
      batch = [];
      bytes = batchOverheadBytes;
    }
    batch.push(message);
    bytes += more;
  }
  if (batch.length > 0) yield batch;
}
