import { setTimeout as sleep } from 'node:timers/promises';
import {
  Admin,
  Consumer,
  FetchIsolationLevels,
  ListOffsetTimestamps,
  ProduceAcks,
  Producer,
  type ProduceResult,
} from '@platformatic/kafka';
import { type RecordStore, type StoredBytes, StoreUnavailableError } from '@ringfence/log';
import { readTopic } from './check-topic.ts';
import { clientOptions, type KafkaSettings } from './kafka-settings.ts';

/** What a message has beside its value. */
const overheadBytes = 1_024;
/** Of one fetch: two full flights of the log. A larger message is fetched whole. */
const fetchBytes = 2 * 1024 * 1024;
/** A read is given up after this time: longer than brokers need to elect a leader, unless their configuration is slow. */
const readMsMax = 10_000;
/** Between two attempts to read, or to reach the cluster. */
const againMs = 200;
const reachAgainMs = 1_000;
/**
 * A new leader may not yet know how far its records are confirmed: what is beyond that is asked for again, before it
 * counts as lost.
 */
const behindMsMax = 3_000;
/** Refreshed at least this often, so that a moved leader is found without an error. */
const metadataMsMax = 60_000;

export interface KafkaStoreOptions {
  readonly settings: KafkaSettings;
  /** Called when the cluster cannot be reached, and when a read fails. */
  readonly onError?: (error: unknown) => void;
}

interface Put {
  readonly partition: number;
  readonly value: Buffer;
  resolve(offset: number): void;
  reject(error: Error): void;
}

/**
 * One topic of Apache Kafka. Puts of the same moment are one produce request to each leader, with `acks=all`. Each is
 * sent once; nothing is sent again, because a copy would only be an orphan. Knows the topic once a broker has answered;
 * until then `partitions` is 0, every put is refused at once, and reads wait.
 */
export class KafkaRecordStore implements RecordStore {
  readonly #options: KafkaStoreOptions;
  readonly #producer: Producer;
  readonly #consumer: Consumer;
  readonly #admin: Admin;
  /** Not sent yet. */
  #puts: Put[] = [];
  #known: { readonly partitions: number; readonly bytesMax: number } | undefined;
  #refreshing: Promise<void> | undefined;
  /** Fetches follow each other: they share a session of the protocol. */
  #fetches: Promise<unknown> = Promise.resolve();
  readonly #closed = new AbortController();

  constructor(options: KafkaStoreOptions) {
    this.#options = options;
    const client = { ...clientOptions(options.settings), metadataMaxAge: metadataMsMax };
    this.#producer = new Producer({
      ...client,
      idempotent: false,
      acks: ProduceAcks.ALL,
      repeatOnStaleMetadata: false,
    });
    this.#consumer = new Consumer({
      ...client,
      groupId: 'ringfence-log', // never joined
      isolationLevel: FetchIsolationLevels.READ_UNCOMMITTED,
      maxWaitTime: 0,
      minBytes: 1,
    });
    this.#consumer.topics.trackAll(options.settings.topic);
    this.#admin = new Admin(client);
    void this.#reach();
  }

  get partitions(): number {
    return this.#known?.partitions ?? 0;
  }

  get bytesMax(): number {
    return this.#known?.bytesMax ?? 0;
  }

  put(partition: number, bytes: Uint8Array): Promise<number> {
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new Promise((resolve, reject) => {
      this.#puts.push({ partition, value, resolve, reject });
      if (this.#puts.length === 1) queueMicrotask(() => void this.#send());
    });
  }

  /** The puts of one flight of the log: one request to each leader. */
  async #send(): Promise<void> {
    const { topic } = this.#options.settings;
    const puts = this.#puts;
    this.#puts = [];
    const { offsets, cause } = await this.#producer
      .send({
        messages: puts.map(({ partition, value }) => ({ topic, partition, value })),
        idempotent: false,
        // Of every send: the library takes 1 if it is only set for the producer.
        acks: ProduceAcks.ALL,
      })
      .then(
        (produced) => ({ ...produced, cause: undefined }),
        (error: Error & { readonly produced?: ProduceResult }) => ({ ...error.produced, cause: error }),
      );
    if (cause !== undefined) this.#refresh();
    const next = new Map(offsets?.map(({ partition, offset }) => [partition, Number(offset)]));
    for (const put of puts) {
      const { partition } = put;
      const offset = next.get(partition);
      if (offset === undefined) {
        put.reject(new StoreUnavailableError(`Kafka did not confirm a message of partition ${partition}`, { cause }));
      } else {
        put.resolve(offset);
        next.set(partition, offset + 1);
      }
    }
  }

  async get(partition: number, offsets: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    const found = new Map<number, Buffer>();
    const wanted = new Set(offsets);
    for (let index = 0; index < offsets.length;) {
      const from = offsets[index]!;
      const next = await this.#read(partition, from, offsets[index + 1] === undefined ? 1 : fetchBytes);
      for (const { offset, bytes } of next) if (wanted.has(offset)) found.set(offset, bytes);
      const last = Math.max(from, ...next.map(({ offset }) => offset));
      while (index < offsets.length && offsets[index]! <= last) index += 1;
    }
    return found;
  }

  async *after(partition: number, offset: number): AsyncGenerator<StoredBytes> {
    const [start, end] = await this.#retried(() => this.#bounds(partition));
    for (let at = Math.max(offset, start); at < end;) {
      const next = await this.#read(partition, at, fetchBytes);
      for (const one of next) if (one.offset >= at && one.offset < end) yield one;
      at = Math.max(at, ...next.map((one) => one.offset)) + 1;
    }
  }

  async dropBefore(partition: number, offset: number): Promise<void> {
    const { topic } = this.#options.settings;
    try {
      const [start, end] = await this.#bounds(partition);
      const to = Math.min(offset, end);
      if (to <= start) return;
      await this.#admin.deleteRecords({ topics: [{ name: topic, partitions: [{ partition, offset: BigInt(to) }] }] });
    } catch (cause) {
      throw new StoreUnavailableError(`Kafka did not drop records of partition ${partition}`, { cause });
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#fetches.catch(() => {});
    await this.#refreshing;
    await Promise.allSettled([this.#producer.close(true), this.#consumer.close(true), this.#admin.close()]);
  }

  /** Asks for the topic until a broker answers. */
  async #reach(): Promise<void> {
    const { settings, onError } = this.#options;
    let failed = false;
    while (!this.#closed.signal.aborted) {
      try {
        const state = await readTopic(settings);
        if (state === undefined) throw new StoreUnavailableError(`there is no topic ${settings.topic}`);
        const bytesMax = Number(state.configs.get('max.message.bytes')) - overheadBytes;
        // Connected before the first append, which would otherwise pay for it.
        await this.#producer.metadata({ topics: [settings.topic] }).catch(() => {});
        await this.#producer.connectToBrokers().catch(() => {});
        this.#known = { partitions: state.partitions, bytesMax };
        return;
      } catch (error) {
        if (!failed) onError?.(error);
        failed = true;
        await sleep(reachAgainMs, undefined, { signal: this.#closed.signal }).catch(() => {});
      }
    }
  }

  /** Learns of new leaders; no append waits for it. */
  #refresh(): void {
    const { topic } = this.#options.settings;
    this.#refreshing ??= this.#producer
      .metadata({ topics: [topic], forceUpdate: true, retries: 2 })
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  /** Messages from `offset` on; at least that one, unless it is gone. */
  #read(partition: number, offset: number, bytes: number): Promise<readonly StoredBytes[]> {
    const behind = performance.now() + behindMsMax;
    return this.#retried(async () => {
      for (;;) {
        const fetched = await this.#fetch(partition, offset, bytes);
        if (fetched !== 'behind') return fetched;
        if (performance.now() > behind) return [];
        await sleep(againMs);
      }
    });
  }

  async #retried<T>(work: () => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + readMsMax;
    for (;;) {
      try {
        return await work();
      } catch (cause) {
        this.#options.onError?.(cause);
        if (performance.now() > deadlineMs || this.#closed.signal.aborted) {
          throw new StoreUnavailableError('Kafka does not answer', { cause });
        }
        this.#consumer.clearMetadata();
        await sleep(againMs);
      }
    }
  }

  /** @returns `behind`: the leader has not confirmed that far. Empty: what was there is gone. */
  async #fetch(partition: number, offset: number, bytes: number): Promise<readonly StoredBytes[] | 'behind'> {
    const mine = this.#fetches.then(() => this.#fetchNow(partition, offset, bytes));
    this.#fetches = mine.catch(() => {});
    return mine;
  }

  async #fetchNow(partition: number, offset: number, bytes: number): Promise<readonly StoredBytes[] | 'behind'> {
    const { topic } = this.#options.settings;
    const metadata = await this.#consumer.metadata({ topics: [topic] });
    const { id, partitions } = metadata.topics.get(topic)!;
    const leader = partitions[partition]?.leader ?? -1;
    const part = { partition, fetchOffset: BigInt(offset), partitionMaxBytes: bytes };
    const asked = { ...part, currentLeaderEpoch: -1, lastFetchedEpoch: -1 };
    const response = await this.#consumer
      .fetch({ node: leader, maxBytes: Math.max(bytes, fetchBytes), topics: [{ topicId: id, partitions: [asked] }] })
      .catch((error: unknown) => {
        if (isOutOfRange(error)) return undefined;
        throw error;
      });
    if (response === undefined) {
      const [start] = await this.#bounds(partition);
      return offset < start ? [] : 'behind';
    }
    const [answered] = response.responses.flatMap((one) => one.partitions);
    const records = (answered?.records ?? []).flatMap((batch) =>
      batch.records.map((record) => ({
        offset: Number(batch.firstOffset) + record.offsetDelta,
        bytes: record.value ?? Buffer.alloc(0),
      })),
    );
    const wanted = records.filter((record) => record.offset >= offset);
    if (wanted.length > 0) return wanted;
    return answered !== undefined && Number(answered.highWatermark) > offset ? [] : 'behind';
  }

  /** The first offset that is kept, and the one behind the last. */
  async #bounds(partition: number): Promise<readonly [start: number, end: number]> {
    const { topic } = this.#options.settings;
    const ask = async (timestamp: bigint): Promise<number> => {
      const [found] = await this.#admin.listOffsets({
        topics: [{ name: topic, partitions: [{ partitionIndex: partition, timestamp }] }],
        isolationLevel: FetchIsolationLevels.READ_UNCOMMITTED,
      });
      return Number(found!.partitions[0]!.offset);
    };
    return [await ask(ListOffsetTimestamps.EARLIEST), await ask(ListOffsetTimestamps.LATEST)];
  }
}

function isOutOfRange(error: unknown): boolean {
  const {
    apiId,
    errors = [],
    cause,
  } = error as {
    readonly apiId?: string;
    readonly errors?: readonly unknown[];
    readonly cause?: unknown;
  };
  if (apiId === 'OFFSET_OUT_OF_RANGE') return true;
  return errors.some((one) => isOutOfRange(one)) || (cause !== undefined && isOutOfRange(cause));
}
