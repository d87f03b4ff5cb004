import type { LogTopic } from '../platform/database/event-log.ts';
import type { Findings } from './declared-workspace.ts';
import { resolveKafkaConnection } from './kafka-connection.ts';
import type { WrittenLogTopic } from './log-shape.ts';

/** The topic of the file. Its files are read, to report now what could not be used later. */
export function resolveLogTopic(written: WrittenLogTopic | undefined, findings: Findings): LogTopic | undefined {
  if (written === undefined) return undefined;
  const { topic, write = true, ...connection } = written;
  return { connection: resolveKafkaConnection(connection, ['log', 'kafka'], findings), topic, writes: write };
}

/** Each database has a topic of its own: the first offset that is still needed is known to one database. */
export function topicOfDatabase(logTopic: LogTopic | undefined, name: string): LogTopic | undefined {
  return logTopic && { ...logTopic, topic: `${logTopic.topic}.${name}` };
}
