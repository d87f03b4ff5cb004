import { assert, type EpochMs, eventKinds } from '@ringfence/contract';
import type { EngineRecord, Label, SubjectId } from '@ringfence/engine';
import type { HistoryReader, HistoryWriter } from './history-bytes.ts';
import { packEvent, unpackEvent } from './event-codec.ts';

/*
 * Encodes records for the transfer from the thread that opens them to a thread that steps them. Bytes are transferred,
 * whereas objects would be copied member by member; events of imported history, already packed, are passed on unparsed.
 */
const eventTag = 0;
const unreadableTag = 1;
const otherTag = 2;

/** Records packed one after the other. */
export interface PackedBatch {
  /** The offset of the first record. */
  readonly offset: number;
  readonly logTimeMs: EpochMs;
  /** The number of records read for it. */
  readonly records: number;
  readonly bytes: Uint8Array;
}

/** A record as the engine accepts it, except policies: the candidate policy replaces all that a log names. */
export type LaneRecord = Exclude<EngineRecord, { kind: 'policy' }>;

/** The position of an event, independent of its content. */
export interface EventPlace {
  readonly offset: number;
  readonly logTimeMs: EpochMs;
  readonly subject: SubjectId | undefined;
  readonly retryOf: number | undefined;
}

/** Writes an event that is already packed. */
export function packPackedEvent(writer: HistoryWriter, place: EventPlace, packed: Uint8Array): void {
  writePlace(writer, eventTag, place);
  writer.uint(place.retryOf === undefined ? 0 : place.retryOf + 1);
  writer.bytes(packed);
}

export function packRecord(writer: HistoryWriter, record: LaneRecord, label: Label | undefined): void {
  if (record.kind === 'event') {
    writePlace(writer, eventTag, record);
    writer.uint(record.retryOf === undefined ? 0 : record.retryOf + 1);
    packEvent(writer, { ...record, label });
  } else if (record.kind === 'unreadable') {
    writePlace(writer, unreadableTag, record);
    writer.uint(eventKinds.indexOf(record.event));
  } else {
    writer.uint(otherTag);
    const isTold = record.kind === 'label' || record.kind === 'report';
    writer.text(JSON.stringify(isTold ? { ...record, told: undefined } : record));
  }
}

function writePlace(writer: HistoryWriter, tag: number, place: Omit<EventPlace, 'retryOf'>): void {
  writer.uint(tag);
  writer.uint(place.offset);
  writer.uint(place.logTimeMs);
  writer.text(place.subject ?? '');
}

export interface UnpackedRecord {
  readonly record: LaneRecord;
  readonly label: Label | undefined;
}

/** @throws InvariantError for bytes that were not packed here */
export function unpackRecord(reader: HistoryReader): UnpackedRecord {
  const tag = reader.uint();
  if (tag === otherTag) return { record: JSON.parse(reader.text()) as LaneRecord, label: undefined };
  assert(tag === eventTag || tag === unreadableTag, 'a packed record is of a known kind');
  const offset = reader.uint();
  const logTimeMs = reader.uint() as EpochMs;
  const named = reader.text();
  const subject = named === '' ? undefined : named;
  if (tag === unreadableTag) {
    return {
      record: { kind: 'unreadable', offset, logTimeMs, subject, event: eventKinds[reader.uint()]! },
      label: undefined,
    };
  }
  const retry = reader.uint();
  const { event, enrichment, bodyHash, label } = unpackEvent(reader);
  const retryOf = retry === 0 ? undefined : retry - 1;
  return { record: { kind: 'event', offset, logTimeMs, event, enrichment, subject, bodyHash, retryOf }, label };
}
