import { encodeStoredBody } from '../../clients/body.ts';
import type { ByteReader, ByteWriter } from '@ringfence/contract';
import { type AwaitedAction, ClientEntity } from '../../clients/client-entity.ts';
import type { ActionTimes } from '../../deciding/action-times.ts';
import { readActionTimes, writeActionTimes } from './action-times-codec.ts';
import { hasFamiliar, readFamiliar, writeFamiliar } from './familiar-codec.ts';
import { EncodedBody } from '../../clients/encoded-body.ts';
import type { RepeatMemory } from '../../clients/repeat-memory.ts';
import type { SubjectId } from '../../record.ts';
import { carriedDevice } from '../../sessions/carried-device.ts';
import { isClosed, markOf, type Session, type SessionEnd } from '../../sessions/session.ts';

/**
 * Version of a client's encoding. Up to 3, the last login of a session and the device of a step-up were not stored. Up
 * to 2, times were absolute, bodies began with the kind of event, and the last body was stored twice.
 */
export const clientVersion = 4;
/** The first version that stores the last login of a session. */
const loginsVersion = 4;
const wholeTimesVersion = 2;
/** Of versions 1 and 2, the one of clients with devices and places. */
const familiarVersion = 2;

const noTimes: ReadonlyMap<number, ActionTimes> = new Map();

/** Times are written as differences from a nearby one, which takes fewer bytes. */
export function writeClient(writer: ByteWriter, client: ClientEntity): void {
  writeInstant(writer, client.firstSeenMs);
  writeInstant(writer, client.lastSeenMs, client.firstSeenMs);
  writer.uint(client.logins);
  writer.uint(client.operations);
  writeInstant(writer, client.block?.atMs);
  if (client.block !== undefined) writer.int(client.block.untilMs);
  writer.uint(client.sessions.all.length);
  for (const session of client.sessions.all) writeSession(writer, session);
  client.repeats.write(writer);
  writer.uint(client.awaited.length);
  for (const action of client.awaited) writeAwaited(writer, action);
  writer.uint(client.cooldowns.size);
  for (const [key, untilMs] of client.cooldowns) {
    writer.text(key);
    writer.int(untilMs);
  }
  writeActionTimes(writer, client.hasActionTimes ? client.actionTimes : noTimes);
  const isFamiliar = hasFamiliar(client);
  writer.bool(isFamiliar);
  if (isFamiliar) writeFamiliar(writer, client);
}

export function readClient(reader: ByteReader, subject: SubjectId, version: number): ClientEntity {
  const isEarlier = version <= wholeTimesVersion;
  const client = new ClientEntity(subject);
  const firstSeenMs = readInstant(reader);
  client.restoreSeen(firstSeenMs, readInstant(reader, isEarlier ? 0 : firstSeenMs));
  client.logins = reader.uint();
  client.operations = reader.uint();
  const blockedAtMs = readInstant(reader);
  if (blockedAtMs !== undefined) client.block = { atMs: blockedAtMs, untilMs: reader.int() };
  const sessions = reader.list(() => readSession(reader, version));
  if (sessions.length > 0) client.sessions.restore(sessions);
  if (isEarlier) {
    skipLast(reader);
    readEarlierRepeats(reader, client.repeats);
  } else client.repeats.read(reader);
  const awaited = reader.list(() => readAwaited(reader, version));
  if (awaited.length > 0) client.awaited = awaited;
  const cooldowns = reader.uint();
  for (let count = 0; count < cooldowns; count++) client.restoreCooldown(reader.text(), reader.int());
  if (!reader.done) readActionTimes(reader, client);
  if (isEarlier ? version === familiarVersion : reader.bool()) readFamiliar(reader, client);
  if (version < loginsVersion) client.awaited = client.awaited.map((action) => withDeviceOf(client, action));
  return client;
}

/** Skips the event that was applied last, which is also the last of the bodies. */
function skipLast(reader: ByteReader): void {
  if (!reader.bool()) return;
  reader.text();
  reader.uint();
  reader.int();
}

/** Reads bodies as written up to version 2 of clients, and up to 6 of globals. */
export function readEarlierRepeats(reader: ByteReader, memory: RepeatMemory): void {
  const body = new EncodedBody();
  for (let left = reader.uint(); left > 0; left--) {
    encodeStoredBody(body, reader.text());
    const [offset, atMs] = [reader.uint(), reader.int()];
    const earlierMs = reader.list(() => reader.int());
    memory.restore(body, { offset, atMs, earlierMs });
  }
}

/** For a closed session, the field for its expiry is written too, as 0. */
function writeSession(writer: ByteWriter, session: Session): void {
  const { openedAtMs, lastEventAtMs, endsAtMs, endsBy } = session;
  const closed = isClosed(session);
  writer.int(session.channelId);
  writer.text(session.id);
  writer.int(openedAtMs);
  writer.uint(session.openedOffset);
  writer.int(session.loginAtMs - openedAtMs);
  writer.uint(session.loginOffset - session.openedOffset);
  writer.int(lastEventAtMs - openedAtMs);
  writer.int(closed ? 0 : endsAtMs - lastEventAtMs);
  writer.bool(endsBy === 'absolute');
  writeInstant(writer, closed ? endsAtMs : undefined, lastEventAtMs);
  if (closed) writer.bool(endsBy === 'action');
  writer.uint(session.logins);
  writer.uint(session.operations);
  writer.text(session.ip);
  writer.bool(session.ipChanged);
}

function readSession(reader: ByteReader, version: number): Session {
  const isEarlier = version <= wholeTimesVersion;
  const [channelId, id, openedAtMs, openedOffset] = [reader.int(), reader.text(), reader.int(), reader.uint()];
  const sinceMs = isEarlier ? 0 : openedAtMs;
  const loginAtMs = sinceMs + reader.int();
  const loginOffset = openedOffset + (version < loginsVersion ? 0 : reader.uint());
  const lastEventAtMs = sinceMs + reader.int();
  const { endsAtMs, endsBy } = readEnd(reader, isEarlier ? 0 : lastEventAtMs);
  return {
    channelId,
    id,
    mark: markOf(id),
    openedAtMs,
    openedOffset,
    loginAtMs,
    loginOffset,
    lastEventAtMs,
    endsAtMs,
    endsBy,
    logins: reader.uint(),
    operations: reader.uint(),
    ip: reader.text(),
    ipChanged: reader.bool(),
    carried: undefined,
  };
}

function readEnd(reader: ByteReader, nearMs: number): { readonly endsAtMs: number; readonly endsBy: SessionEnd } {
  const expiresAtMs = nearMs + reader.int();
  const expiresBy = reader.bool() ? 'absolute' : 'idle';
  const closedAtMs = readInstant(reader, nearMs);
  if (closedAtMs === undefined) return { endsAtMs: expiresAtMs, endsBy: expiresBy };
  return { endsAtMs: closedAtMs, endsBy: reader.bool() ? 'action' : 'logout' };
}

function writeAwaited(writer: ByteWriter, action: AwaitedAction): void {
  writer.uint(action.offset);
  writer.uint(action.reason);
  writer.uint(action.position);
  writer.uint(action.action);
  writer.bool(action.device !== undefined);
  if (action.device !== undefined) writer.text(action.device);
  writer.bool(action.session !== undefined);
  if (action.session === undefined) return;
  writer.int(action.session.channelId);
  writer.text(action.session.id);
  writer.uint(action.session.openedOffset);
}

function readAwaited(reader: ByteReader, version: number): AwaitedAction {
  return {
    offset: reader.uint(),
    reason: reader.uint(),
    position: reader.uint(),
    action: reader.uint(),
    device: version >= loginsVersion && reader.bool() ? reader.text() : undefined,
    session: reader.bool() ? { channelId: reader.int(), id: reader.text(), openedOffset: reader.uint() } : undefined,
  };
}

/** For an action that was written without its device, the device of the last login of its session. */
function withDeviceOf({ sessions }: ClientEntity, action: AwaitedAction): AwaitedAction {
  return { ...action, device: action.session && carriedDevice(sessions.findLife(action.session)) };
}

function writeInstant(writer: ByteWriter, atMs: number | undefined, nearMs = 0): void {
  writer.bool(atMs !== undefined);
  if (atMs !== undefined) writer.int(atMs - nearMs);
}

function readInstant(reader: ByteReader, nearMs = 0): number | undefined {
  return reader.bool() ? nearMs + reader.int() : undefined;
}
