import type { Pool } from 'pg';
import { kafkaClientOptions } from '../kafka-client.ts';
import { OperatorError } from '../observability/operator-error.ts';
import type { LogTopic } from './event-log.ts';

export interface LogTopicFault {
  readonly detail: string;
  readonly mend: string;
}

/**
 * Everything that is wrong with the topic of the log.
 *
 * @throws StoreUnavailableError when no broker answers
 */
export async function logTopicFaults({ connection, topic }: LogTopic): Promise<readonly LogTopicFault[]> {
  const { checkTopic } = await import('@ringfence/log-kafka');
  return checkTopic({ ...kafkaClientOptions(connection), topic });
}

/** Whether records of this log may be in Kafka. */
export async function hasPlacedRecords(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(`select exists (select from log_place) as has`);
  return rows[0]!.has;
}

/**
 * Refuses a topic that could lose what it has, and a configuration without the topic that has records. Brokers that do
 * not answer do not stop a start: PostgreSQL takes the events meanwhile.
 *
 * @returns why the topic could not be checked
 * @throws OperatorError
 */
export async function checkLogTopic(pool: Pool, topic: LogTopic | undefined): Promise<Error | undefined> {
  if (topic === undefined) {
    if (!(await hasPlacedRecords(pool))) return undefined;
    throw new OperatorError(
      'Records of the log are in Kafka, and the configuration has no log.kafka.',
      'Name the topic in log.kafka. To leave Kafka: set write: false there, and run: ringfence log move --to postgres',
    );
  }
  let faults: readonly LogTopicFault[];
  try {
    faults = await logTopicFaults(topic);
  } catch (error) {
    return error as Error;
  }
  if (faults.length === 0) return undefined;
  throw new OperatorError(faults.map(({ detail }) => detail).join(' '), faults.map(({ mend }) => mend).join('; '));
}
