import type { EpochMs } from '@ringfence/contract';
import type { Appended, EventLog, LogEntry, RecordKind } from '../src/log.ts';

/** What `logConformance` needs from an implementation. */
export interface LogHarness<Log extends EventLog = EventLog> {
  /**
   * Opens a log that contains only what earlier calls of this harness stored. Its ranges have `rangeRecords` records.
   */
  open(clock: TestClock, rangeRecords: number): Promise<Log>;
  /** Simulates a failover: the next append of a partition is the first one in a new life of the database. */
  beginLife(log: Log, partition: string): Promise<void>;
  /** Closes a partition, as a move of it to another database does. */
  closePartition(log: Log, partition: string): Promise<void>;
  /** Whether it gives its listeners copies of what it appended. */
  readonly copiesBlocks?: true;
  /** Data that `appendFenced` commits together with its entry; absent for a log without transactions. */
  readonly notes?: {
    write(transaction: unknown, text: string): Promise<void>;
    all(): Promise<readonly string[]>;
  };
}

/** The log's clock, moved by hand. */
export class TestClock {
  nowMs = 1_700_000_000_000;
  readonly read = (): EpochMs => this.nowMs as EpochMs;
}

export function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function entry(content: number, more: Partial<LogEntry> = {}): LogEntry {
  return { kind: 'operation', payload: bytes(content), ...more };
}

export function keyed(content: number, key: number, fingerprint: number): LogEntry {
  return entry(content, { idempotency: { key: bytes(key, 0, 255), fingerprint: bytes(fingerprint, 0) } });
}

export function epochOf(appended: Appended): number {
  if (appended.kind !== 'appended') throw new Error('nothing was appended');
  return appended.epoch;
}

export function offsetOf(appended: Appended): number {
  if (appended.kind !== 'appended') throw new Error('nothing was appended');
  return appended.offset;
}

export const everyKind: readonly RecordKind[] = [
  'login',
  'logout',
  'operation',
  'policy',
  'settings',
  'engine',
  'tick',
  'unblock',
  'erase',
  'outcome',
  'label',
  'list',
  'suppress',
  'held',
  'report',
  'hold',
];
