import { assert, type EpochMs, eventKinds } from '@ringfence/contract';
import type { EngineRecord, Label, SubjectId } from '@ringfence/engine';
import type { ByteSink } from './byte-sink.ts';
import type { ByteSource } from './byte-source.ts';
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
export function packPackedEvent(sink: ByteSink, place: EventPlace, packed: Uint8Array): void {
  writePlace(sink, eventTag, place);
  sink.uint(place.retryOf === undefined ? 0 : place.retryOf + 1);
  sink.bytes(packed);
}

export function packRecord(sink: ByteSink, record: LaneRecord, label: Label | undefined): void {
  if (record.kind === 'event') {
    writePlace(sink, eventTag, record);
    sink.uint(record.retryOf === undefined ? 0 : record.retryOf + 1);
    packEvent(sink, { ...record, label });
  } else if (record.kind === 'unreadable') {
    writePlace(sink, unreadableTag, record);
    sink.byte(eventKinds.indexOf(record.event));
  } else {
    sink.byte(otherTag);
    sink.text(JSON.stringify(record.kind === 'label' ? { ...record, told: undefined } : record));
  }
}

function writePlace(sink: ByteSink, tag: number, place: Omit<EventPlace, 'retryOf'>): void {
  sink.byte(tag);
  sink.uint(place.offset);
  sink.uint(place.logTimeMs);
  sink.text(place.subject ?? '');
}

export interface UnpackedRecord {
  readonly record: LaneRecord;
  readonly label: Label | undefined;
}

/** @throws InvariantError for bytes that were not packed here */
export function unpackRecord(source: ByteSource): UnpackedRecord {
  const tag = source.byte();
  if (tag === otherTag) return { record: JSON.parse(source.text()) as LaneRecord, label: undefined };
  assert(tag === eventTag || tag === unreadableTag, 'a packed record is of a known kind');
  const offset = source.uint();
  const logTimeMs = source.uint() as EpochMs;
  const named = source.text();
  const subject = named === '' ? undefined : named;
  if (tag === unreadableTag) {
    return {
      record: { kind: 'unreadable', offset, logTimeMs, subject, event: eventKinds[source.byte()]! },
      label: undefined,
    };
  }
  const retry = source.uint();
  const { event, door, bodyHash, label } = unpackEvent(source);
  const retryOf = retry === 0 ? undefined : retry - 1;
  return { record: { kind: 'event', offset, logTimeMs, event, door, subject, bodyHash, retryOf }, label };
}
