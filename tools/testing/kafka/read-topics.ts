import { Consumer, MessagesStreamModes, ListOffsetTimestamps } from '@platformatic/kafka';

/** A message as it is in its partition. */
export interface ReadMessage {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: string;
}

/** Everything that topics have now, each partition in its order. Topics that do not exist have nothing. */
export async function readTopics(addresses: readonly string[], topics: readonly string[]): Promise<ReadMessage[]> {
  const consumer = new Consumer({
    clientId: 'ringfence-test',
    groupId: `ringfence-test-${Math.random()}`,
    bootstrapBrokers: [...addresses],
    autocommit: false,
    retries: 10,
  });
  try {
    const read: ReadMessage[] = [];
    const [ends, starts] = await Promise.all(
      [ListOffsetTimestamps.LATEST, ListOffsetTimestamps.EARLIEST].map((timestamp) =>
        consumer.listOffsets({ topics: [...topics], timestamp }),
      ),
    );
    let left = 0;
    for (const topic of topics) {
      for (const [partition, end] of ends!.get(topic)!.entries()) {
        left += Number(end - starts!.get(topic)![partition]!);
      }
    }
    if (left === 0) return read;
    const stream = await consumer.consume({
      topics: [...topics],
      mode: MessagesStreamModes.EARLIEST,
      maxWaitTime: 100,
    });
    for await (const { topic, partition, key, value } of stream) {
      read.push({ topic, partition, key: key.toString(), value: value.toString() });
      if (--left === 0) break;
    }
    await stream.close();
    return read;
  } finally {
    await consumer.close(true);
  }
}
