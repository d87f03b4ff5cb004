import { hash } from 'node:crypto';
import { assert, NewerFormError } from '@ringfence/contract';
import { frameBytes, writeFrame } from './entry-frames.ts';
import type { LogEntry } from './log.ts';

/**
 * What one `put` stores: the entries of one append and one partition of the log, or a verdict about them.
 *
 *     "RFL" | version (1) | kind (1) | log id (16) | append id (16) | length of the partition's name (1) | name
 *     an append: count (2) | for each entry: generation (8) | length and key (1 + n) | length and fingerprint (1 + n)
 *                | length of the frame (4) | length of the attachment (4)
 *                the frames in the format of entry-frames.ts | the attachments
 *     a verdict: count (2) | numbers of the entries that were refused (2 each)
 *     checksum (16): the first bytes of SHA-256 over everything before
 *
 * Numbers are big-endian. The checksum is ours, because clients of a store may not check its own.
 */
export type Message =
  | (MessageHead & { readonly kind: 'append'; readonly entries: readonly MessageEntry[] })
  /** The entries, by their number in the append, were not stored in the log, and their sender knows it. */
  | (MessageHead & { readonly kind: 'verdict'; readonly refused: readonly number[] })
  /** Asks whether the store answers again. */
  | (MessageHead & { readonly kind: 'probe' });

export type AppendMessage = Extract<Message, { readonly kind: 'append' }>;

interface MessageHead {
  /** Of the log: another installation may write to the same store by mistake. */
  readonly logId: Buffer;
  /** Random, one for each partition of a batch. */
  readonly appendId: Buffer;
  readonly partition: string;
}

export interface MessageEntry {
  readonly generation: number | undefined;
  readonly idempotency: LogEntry['idempotency'];
  /** In the format of entry-frames.ts: a view into the message. */
  readonly frame: Buffer;
  readonly attachment: Buffer | undefined;
}

export interface Sent {
  readonly entry: LogEntry;
  readonly generation: number | undefined;
}

const magic = Buffer.from('RFL\x01', 'latin1');
const kinds = ['append', 'verdict', 'probe'] as const;
export const idBytes = 16;
const headBytes = magic.length + 1 + idBytes + idBytes + 1;
const countBytes = 2;
const entryHeadBytes = 8 + 1 + 1 + 4 + 4;
const checksumBytes = 16;
const noGeneration = -1n;

/** The stored bytes are not those that were put. */
export class DamagedMessageError extends Error {
  override readonly name = 'DamagedMessageError';
}

/** An upper bound of the bytes of an append. */
export function appendBytes(sent: readonly Sent[]): number {
  const lengths = sent.map(
    ({ entry }) =>
      entryHeadBytes +
      (entry.idempotency === undefined
        ? 0
        : entry.idempotency.key.byteLength + entry.idempotency.fingerprint.byteLength) +
      frameBytes(entry) +
      (entry.attachment?.byteLength ?? 0),
  );
  return lengths.reduce((sum, length) => sum + length, headBytes + 64 + countBytes + checksumBytes);
}

export function writeAppend(head: MessageHead, sent: readonly Sent[]): Buffer {
  const bytes = Buffer.allocUnsafe(appendBytes(sent));
  let at = bytes.writeUInt16BE(sent.length, writeHead(bytes, 'append', head));
  for (const { entry, generation } of sent) {
    at = bytes.writeBigInt64BE(generation === undefined ? noGeneration : BigInt(generation), at);
    at = writeShort(bytes, at, entry.idempotency?.key);
    at = writeShort(bytes, at, entry.idempotency?.fingerprint);
    at = bytes.writeUInt32BE(frameBytes(entry), at);
    at = bytes.writeUInt32BE(entry.attachment?.byteLength ?? 0, at);
  }
  for (const { entry } of sent) at = writeFrame(bytes, at, entry);
  for (const { entry } of sent) {
    if (entry.attachment === undefined) continue;
    bytes.set(entry.attachment, at);
    at += entry.attachment.byteLength;
  }
  return seal(bytes, at);
}

export function writeVerdict(head: MessageHead, refused: readonly number[]): Buffer {
  const bytes = Buffer.alloc(headBytes + 64 + countBytes + refused.length * 2 + checksumBytes);
  let at = bytes.writeUInt16BE(refused.length, writeHead(bytes, 'verdict', head));
  for (const number of refused) at = bytes.writeUInt16BE(number, at);
  return seal(bytes, at);
}

export function writeProbe(head: MessageHead): Buffer {
  const bytes = Buffer.alloc(headBytes + 64 + checksumBytes);
  return seal(bytes, writeHead(bytes, 'probe', head));
}

/**
 * @throws DamagedMessageError if these are not the bytes of a message; NewerFormError for one of a later release
 */
export function readMessage(bytes: Buffer): Message {
  const end = bytes.length - checksumBytes;
  const isOurs = end >= headBytes && bytes.subarray(0, 3).equals(magic.subarray(0, 3));
  if (!isOurs) throw new DamagedMessageError('these bytes are not a message of the log');
  if (!checksum(bytes.subarray(0, end)).equals(bytes.subarray(end))) {
    throw new DamagedMessageError('the checksum of a message is wrong');
  }
  const kind = kinds[bytes[magic.length]! - 1];
  if (bytes[3] !== magic[3] || kind === undefined) throw new NewerFormError('a message of the log is of a later form');
  const logId = bytes.subarray(magic.length + 1, magic.length + 1 + idBytes);
  const appendId = bytes.subarray(headBytes - 1 - idBytes, headBytes - 1);
  const bodyAt = headBytes + bytes[headBytes - 1]!;
  const head = { logId, appendId, partition: bytes.toString('latin1', headBytes, bodyAt) };
  switch (kind) {
    case 'probe':
      return { ...head, kind };
    case 'verdict': {
      const refused = Array.from({ length: bytes.readUInt16BE(bodyAt) }, (_, index) =>
        bytes.readUInt16BE(bodyAt + countBytes + index * 2),
      );
      return { ...head, kind, refused };
    }
    case 'append':
      return { ...head, kind, entries: readEntries(bytes.subarray(0, end), bodyAt) };
  }
}

/**
 * The same, `undefined` for bytes that are damaged.
 *
 * @throws NewerFormError
 */
export function openMessage(bytes: Buffer): Message | undefined {
  try {
    return readMessage(bytes);
  } catch (error) {
    if (error instanceof DamagedMessageError) return undefined;
    throw error;
  }
}

function readEntries(bytes: Buffer, start: number): readonly MessageEntry[] {
  let at = start + countBytes;
  const heads = Array.from({ length: bytes.readUInt16BE(start) }, () => {
    const generation = bytes.readBigInt64BE(at);
    const key = readShort(bytes, at + 8);
    const fingerprint = readShort(bytes, at + 9 + key.length);
    at += 10 + key.length + fingerprint.length;
    const lengths = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)] as const;
    at += 8;
    return { generation, key, fingerprint, lengths };
  });
  const frames = heads.map(({ lengths: [length] }) => bytes.subarray(at, (at += length)));
  const entries = heads.map(({ generation, key, fingerprint, lengths }, index) => ({
    generation: generation === noGeneration ? undefined : Number(generation),
    idempotency: key.length === 0 ? undefined : { key, fingerprint },
    frame: frames[index]!,
    attachment: lengths[1] === 0 ? undefined : bytes.subarray(at, (at += lengths[1])),
  }));
  assert(at === bytes.length, 'a message ends with its attachments');
  return entries;
}

function writeHead(bytes: Buffer, kind: Message['kind'], { logId, appendId, partition }: MessageHead): number {
  bytes.set(magic);
  bytes[magic.length] = kinds.indexOf(kind) + 1;
  bytes.set(logId, magic.length + 1);
  bytes.set(appendId, magic.length + 1 + idBytes);
  bytes[headBytes - 1] = partition.length;
  return headBytes + bytes.write(partition, headBytes, 'latin1');
}

function writeShort(bytes: Buffer, at: number, short: Uint8Array | undefined): number {
  bytes[at] = short?.byteLength ?? 0;
  if (short !== undefined) bytes.set(short, at + 1);
  return at + 1 + (short?.byteLength ?? 0);
}

function readShort(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at + 1, at + 1 + bytes[at]!);
}

function seal(bytes: Buffer, end: number): Buffer {
  bytes.set(checksum(bytes.subarray(0, end)), end);
  return bytes.subarray(0, end + checksumBytes);
}

function checksum(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, checksumBytes);
}
