import type { Pool } from 'pg';
import type { DatabaseConnection } from '../../platform/database/event-log.ts';
import { hasPlacedRecords, logTopicFaults } from '../../platform/database/log-topic-faults.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** The topic that keeps the bytes of the log. */
export async function checkLogTopic(
  { logTopic }: Pick<DatabaseConnection, 'logTopic'>,
  pool: Pool,
): Promise<readonly Finding[]> {
  const isUsed = await hasPlacedRecords(pool);
  if (logTopic === undefined) {
    const mend = 'Name the topic in log.kafka; to leave Kafka: ringfence log move --to postgres';
    return isUsed ? [bad('log', 'its records are in Kafka, which the file does not name', mend)] : [];
  }
  const { topic, writes } = logTopic;
  try {
    const faults = await logTopicFaults(logTopic);
    if (faults.length > 0) return faults.map(({ detail, mend }) => bad('log', detail, mend));
  } catch (error) {
    const mend = 'Check the brokers. New events are stored in PostgreSQL meanwhile; those in Kafka cannot be read.';
    return [bad('log', (error as Error).message, mend)];
  }
  if (writes) return [good('log', `the topic ${topic} keeps what it confirms`)];
  const detail = `the topic ${topic} is only read`;
  return [isUsed ? unwise('log', detail, 'Finish: ringfence log move --to postgres') : good('log', detail)];
}
