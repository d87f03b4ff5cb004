export { checkTopic, type TopicFault } from './check-topic.ts';
export { KafkaRecordStore } from './kafka-record-store.ts';
export type { KafkaSettings } from './kafka-settings.ts';
