import type { EpochMs } from '@ringfence/contract';
import {
  type Adopted,
  type AdoptHook,
  PlacedReader,
  PostgresLog,
  type RecordStore,
  type StoredBytes,
} from '@ringfence/log';
import type { ClientConfig, Pool } from 'pg';
import { type KafkaConnection, kafkaClientOptions } from '../kafka-client.ts';

/** Where the bytes of the log are kept instead of in PostgreSQL. */
export interface LogTopic {
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** Whether new events go there. Without it, only what is there is read. */
  readonly writes: boolean;
}

/** How threads and commands reach an installation. Plain data: it can be sent to another thread. */
export interface DatabaseConnection extends ClientConfig {
  readonly logTopic?: LogTopic | undefined;
}

export interface EventLogOptions {
  readonly connection: DatabaseConnection;
  readonly pool: Pool;
  readonly clock: () => EpochMs;
  /** Makes again what the database lost beside records. Without it, the log adopts nothing. */
  readonly adopt?: AdoptHook | undefined;
  readonly onAdopted?: ((adopted: Adopted) => void) | undefined;
  /** An error of the brokers. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The log of an installation, as its configuration says where its bytes are kept. */
export function openEventLog({ connection, pool, clock, adopt, onAdopted, onError }: EventLogOptions): PostgresLog {
  const { logTopic, ...database } = connection;
  if (logTopic === undefined) return new PostgresLog({ connection: database, pool, clock });
  const store = new LoadedStore(logTopic, onError);
  const records = {
    store,
    writes: logTopic.writes,
    adopt: adopt ?? leaveToService,
    onAdopted,
    close: () => store.close(),
  };
  return new PostgresLog({ connection: database, pool, clock, records });
}

/** Where nothing is known of clients' keys. */
const leaveToService: AdoptHook = async () => {
  throw new Error('a part of the service that takes events adopts what Kafka has');
};

/** Reads the bytes of blocks in the topic of a connection, if it has one. */
export function openPlacedReader({ logTopic }: DatabaseConnection): {
  readonly placed: PlacedReader;
  close(): Promise<void>;
} {
  if (logTopic === undefined) return { placed: new PlacedReader(undefined), close: async () => {} };
  const store = new LoadedStore(logTopic, undefined);
  return { placed: new PlacedReader(store), close: () => store.close() };
}

/** The client of Kafka is loaded only where it is configured, and nothing waits for that. */
class LoadedStore implements RecordStore {
  readonly #loading: Promise<RecordStore>;
  #loaded: RecordStore | undefined;

  constructor({ connection, topic }: LogTopic, onError: ((error: unknown) => void) | undefined) {
    this.#loading = import('@ringfence/log-kafka').then(({ KafkaRecordStore }) => {
      const settings = { ...kafkaClientOptions(connection), topic };
      return (this.#loaded = new KafkaRecordStore({ settings, ...(onError === undefined ? {} : { onError }) }));
    });
    this.#loading.catch((error: unknown) => onError?.(error));
  }

  get partitions(): number {
    return this.#loaded?.partitions ?? 0;
  }

  get bytesMax(): number {
    return this.#loaded?.bytesMax ?? 0;
  }

  async put(partition: number, bytes: Uint8Array): Promise<number> {
    return (await this.#loading).put(partition, bytes);
  }

  async get(partition: number, offsets: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    return (await this.#loading).get(partition, offsets);
  }

  async *after(partition: number, offset: number): AsyncGenerator<StoredBytes> {
    yield* (await this.#loading).after(partition, offset);
  }

  async dropBefore(partition: number, offset: number): Promise<void> {
    await (await this.#loading).dropBefore(partition, offset);
  }

  async close(): Promise<void> {
    await this.#loading.then(
      (store) => store.close(),
      () => {},
    );
  }
}
