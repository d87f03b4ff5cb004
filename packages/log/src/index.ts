export {
  type Appended,
  type EventLog,
  type GrowthListener,
  type LogEntry,
  type LogHead,
  type LogRecord,
  LogUnavailableError,
  PartitionClosedError,
  RecordsLostError,
  StaleGenerationError,
  type StoredBlock,
  UnknownPartitionError,
} from './log.ts';
export { boolArray, bytesArray, float8Array, int4Array, int8Array, textArray } from './postgres/arrays.ts';
export { Announcer } from './postgres/announcer.ts';
export { type Hearing, Notifications } from './postgres/notifications.ts';
export { endWithDeadPeer, leaveDeadServer } from './postgres/dead-peer.ts';
export { endConnection } from './postgres/session.ts';
export { frameBytes, frameKinds, writeFrame } from './entry-frames.ts';
export { recordsOf, storedBlock } from './stored-block.ts';
export { LogClock } from './log-clock.ts';
export { PostgresLog } from './postgres/postgres-log.ts';
export {
  checkedRangesSchema,
  closedPartitionsSchema,
  logHomeSchema,
  logKindsSchema,
  logLoopKindsSchema,
  logReadSchema,
  logSchema,
  logSteps,
  newLifeSchema,
  quietAppendSchema,
} from './schema.ts';
export {
  type BlockRow,
  blockOfRow,
  countPlacedBlocks,
  moveToPostgres,
  type PlacedTotals,
  storeWhole,
} from './postgres/move-blocks.ts';
export { PlacedReader } from './postgres/placed-reader.ts';
export { forgetStoreText, placedSchema } from './placed-schema.ts';
export { type RecordStore, type StoredBytes, StoreUnavailableError } from './record-store.ts';
export type { Adopted, AdoptHook, Orphan } from './postgres/adoption.ts';
export type { RecordStoreUse } from './postgres/store-use.ts';
