/**
 * Preloaded into every thread of a service (`--import`), for the controls: its client of Kafka no longer keeps what it
 * promises, in a way that only this harness knows.
 *
 * - `acks`: a message counts as confirmed as soon as one broker has it.
 * - `places`: a message counts as confirmed, with the offset that it will get, a second before it is sent. Nothing else
 *   may write to the topic, which has one partition.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { Admin, ListOffsetTimestamps, ProduceAcks, Producer, type SendOptions } from '@platformatic/kafka';

/** Of the environment of the service. */
export interface StoreLie {
  readonly CRASH_STORE_LIE: 'acks' | 'places';
  readonly CRASH_STORE_BROKERS: string;
  readonly CRASH_STORE_TOPIC: string;
}

const sentAfterMs = 1_000;
const lookEveryMs = 2;
const shared = 'crash: offsets';

type Options = SendOptions<Buffer, Buffer, Buffer, Buffer>;
type Send = (this: Producer, options: Options) => ReturnType<Producer['send']>;
// eslint-disable-next-line typescript/unbound-method -- called with the producer
const send = Producer.prototype.send as Send;
const lie = process.env['CRASH_STORE_LIE'];
if (lie === 'acks') replace((producer, options) => send.call(producer, { ...options, acks: ProduceAcks.LEADER }));
if (lie === 'places') await confirmEarly();

function replace(told: (producer: Producer, options: Options) => ReturnType<Producer['send']>): void {
  const lying: Send = function (options) {
    return told(this, options);
  };
  Producer.prototype.send = lying;
}

async function confirmEarly(): Promise<void> {
  if (isMainThread) {
    const end = await endOf(process.env['CRASH_STORE_TOPIC']!, process.env['CRASH_STORE_BROKERS']!.split(','));
    setEnvironmentData(shared, new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
    offsets().fill(end);
  }
  replace(async (producer, options) => {
    const { topic, partition = 0 } = options.messages[0]!;
    const offset = Atomics.add(offsets(), 0, BigInt(options.messages.length));
    void sendLater(producer, options, offset);
    return { offsets: [{ topic, partition, offset }] };
  });
}

/** Of all threads: the offset that the next message is promised, and the one that the topic gives next. */
function offsets(): BigInt64Array {
  return new BigInt64Array(getEnvironmentData(shared) as unknown as SharedArrayBuffer);
}

/** In the order of the promised offsets. */
async function sendLater(producer: Producer, options: Options, offset: bigint): Promise<void> {
  await sleep(sentAfterMs);
  while (Atomics.load(offsets(), 1) < offset) await sleep(lookEveryMs);
  await send.call(producer, options).catch(() => {});
  Atomics.add(offsets(), 1, BigInt(options.messages.length));
}

async function endOf(topic: string, bootstrapBrokers: string[]): Promise<bigint> {
  const admin = new Admin({ clientId: 'crash', bootstrapBrokers, retries: 10, retryDelay: 200 });
  try {
    const partitions = [{ partitionIndex: 0, timestamp: ListOffsetTimestamps.LATEST }];
    const [found] = await admin.listOffsets({ topics: [{ name: topic, partitions }] });
    return found!.partitions[0]!.offset;
  } finally {
    await admin.close();
  }
}
