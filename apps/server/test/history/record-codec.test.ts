import type { EpochMs } from '@ringfence/contract';
import { defaultSettings } from '@ringfence/engine';
import { expect, it } from 'vitest';
import { type LaneRecord, packRecord, type UnpackedRecord, unpackRecord } from '../../src/history/record-codec.ts';
import { HistoryReader, HistoryWriter } from '../../src/history/history-bytes.ts';

const at = { offset: 12, logTimeMs: 1_600_000_000_123 as EpochMs };
const event: LaneRecord = {
  ...at,
  kind: 'event',
  event: { kind: 'logout', channelId: 3, user: 'ana' },
  enrichment: { facts: {} },
  subject: 'aaaaaaaaaaaaaaaa',
  bodyHash: 'h',
  retryOf: 0,
};
const records: readonly UnpackedRecord[] = [
  { record: event, label: 'fraud' },
  { record: { ...event, subject: undefined, retryOf: undefined }, label: undefined },
  { record: { ...at, kind: 'unreadable', subject: undefined, event: 'operation' }, label: undefined },
  { record: { ...at, kind: 'settings', settings: defaultSettings }, label: undefined },
  { record: { ...at, kind: 'tick' }, label: undefined },
  { record: { ...at, kind: 'engine', version: '1' }, label: undefined },
  { record: { ...at, kind: 'unblock', subject: 'aaaaaaaaaaaaaaaa' }, label: undefined },
  { record: { ...at, kind: 'erase', subject: 'aaaaaaaaaaaaaaaa' }, label: undefined },
  {
    record: {
      ...at,
      kind: 'outcome',
      subject: 'aaaaaaaaaaaaaaaa',
      outcome: { offset: 1, reason: 2, position: 0, action: 1, result: 'executed' },
    },
    label: undefined,
  },
];

it('unpacks records of every kind unchanged', () => {
  const writer = new HistoryWriter();
  for (const { record, label } of records) packRecord(writer, record, label);
  const reader = new HistoryReader(writer.take());
  expect(records.map(() => unpackRecord(reader))).toEqual(records);
  expect(reader.done).toBe(true);
});
