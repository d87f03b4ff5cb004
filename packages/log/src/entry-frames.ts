import { assert, NewerFormError } from '@ringfence/contract';
import type { RecordKind } from './log.ts';

/**
 * The format of entries in a block of the log, one frame after the other:
 *
 *     kind (1 byte) | length of the subject (1 byte) | subject | length of the payload (4 bytes, big-endian) | payload
 *
 * A kind is stored as its index in `frameKinds`; a length of 0 means no subject. `log_open` of the schema reads the
 * same format in SQL.
 */
export interface Frame {
  readonly kind: RecordKind;
  readonly subject: string | undefined;
  /** A view into the block. */
  readonly payload: Buffer;
}

/** What a frame is written from: an entry, or a record. */
export interface Framed {
  readonly kind: RecordKind;
  readonly subject?: string | undefined;
  readonly payload: Uint8Array;
}

/** Stored records refer to these indexes: add new kinds at the end, and never move one. */
export const frameKinds: readonly RecordKind[] = [
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
const kindNumbers: ReadonlyMap<RecordKind, number> = new Map(frameKinds.map((kind, number) => [kind, number]));

const headBytes = 2;
const lengthBytes = 4;

export function frameBytes({ subject, payload }: Framed): number {
  return headBytes + (subject?.length ?? 0) + lengthBytes + payload.byteLength;
}

/** Writes an entry, whose subject is ASCII. Returns the end of the frame. */
export function writeFrame(into: Buffer, start: number, { kind, subject, payload }: Framed): number {
  let at = start;
  into[at++] = kindNumbers.get(kind)!;
  into[at++] = subject?.length ?? 0;
  if (subject !== undefined) at += into.write(subject, at, 'latin1');
  at = into.writeUInt32BE(payload.byteLength, at);
  into.set(payload, at);
  return at + payload.byteLength;
}

/** Parses all frames of a block. @throws NewerFormError for an unknown kind; InvariantError for malformed bytes */
export function readFrames(block: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  let at = 0;
  while (at < block.length) {
    const number = block[at]!;
    const kind = frameKinds[number];
    const subjectEnd = at + headBytes + (block[at + 1] ?? 0);
    const start = subjectEnd + lengthBytes;
    const end = start <= block.length ? start + block.readUInt32BE(subjectEnd) : Number.POSITIVE_INFINITY;
    assert(end <= block.length, 'a block contains whole frames');
    if (kind === undefined)
      throw new NewerFormError(
        `the log contains a record of kind ${number}; this release knows kinds up to ${frameKinds.length - 1}`,
      );
    const subject = block.toString('latin1', at + headBytes, subjectEnd);
    frames.push({ kind, subject: subject === '' ? undefined : subject, payload: block.subarray(start, end) });
    at = end;
  }
  return frames;
}
