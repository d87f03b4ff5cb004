import { bodyOfStored, storedBody } from '../clients/body.ts';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { type AwaitedAction, ClientEntity } from '../clients/client-entity.ts';
import type { ActionTimes } from '../deciding/action-times.ts';
import { readActionTimes, writeActionTimes } from './action-times-codec.ts';
import { hasFamiliar, readFamiliar, writeFamiliar } from './familiar-codec.ts';
import type { RepeatMemory } from '../clients/repeat-memory.ts';
import type { SubjectId } from '../record.ts';
import type { Session } from '../sessions/session.ts';

const noTimes: ReadonlyMap<number, ActionTimes> = new Map();

export function writeClient(writer: ByteWriter, client: ClientEntity): void {
  writeInstant(writer, client.firstSeenMs);
  writeInstant(writer, client.lastSeenMs);
  writer.uint(client.logins);
  writer.uint(client.operations);
  writeInstant(writer, client.block?.atMs);
  if (client.block !== undefined) writer.int(client.block.untilMs);
  writer.uint(client.sessions.length);
  for (const session of client.sessions) writeSession(writer, session);
  writer.bool(client.last !== undefined);
  if (client.last !== undefined) {
    writer.text(storedBody(client.last.body));
    writer.uint(client.last.offset);
    writer.int(client.last.atMs);
  }
  writeRepeats(writer, client.repeats);
  writer.uint(client.awaited.length);
  for (const action of client.awaited) writeAwaited(writer, action);
  writer.uint(client.cooldowns.size);
  for (const [key, untilMs] of client.cooldowns) {
    writer.text(key);
    writer.int(untilMs);
  }
  if (hasFamiliar(client)) {
    writeActionTimes(writer, client.hasActionTimes ? client.actionTimes : noTimes);
    writeFamiliar(writer, client);
  } else if (client.hasActionTimes) writeActionTimes(writer, client.actionTimes);
}

export function readClient(reader: ByteReader, subject: SubjectId, isFamiliar: boolean): ClientEntity {
  const client = new ClientEntity(subject);
  client.restoreSeen(readInstant(reader), readInstant(reader));
  client.logins = reader.uint();
  client.operations = reader.uint();
  const blockedAtMs = readInstant(reader);
  if (blockedAtMs !== undefined) client.block = { atMs: blockedAtMs, untilMs: reader.int() };
  client.sessions = Array.from({ length: reader.uint() }, () => readSession(reader));
  if (reader.bool()) client.last = { body: bodyOfStored(reader.text()), offset: reader.uint(), atMs: reader.int() };
  readRepeats(reader, client.repeats);
  client.awaited = Array.from({ length: reader.uint() }, () => readAwaited(reader));
  const cooldowns = reader.uint();
  for (let count = 0; count < cooldowns; count++) client.restoreCooldown(reader.text(), reader.int());
  if (!reader.done) {
    const times = new Map<number, ActionTimes>();
    readActionTimes(reader, times);
    for (const [reason, of] of times) client.actionTimes.set(reason, of);
  }
  if (isFamiliar) readFamiliar(reader, client);
  return client;
}

export function writeRepeats(writer: ByteWriter, memory: RepeatMemory): void {
  writer.uint(memory.size);
  memory.each((body, { offset, atMs, earlierMs }) => {
    writer.text(storedBody(body));
    writer.uint(offset);
    writer.int(atMs);
    writer.uint(earlierMs.length);
    for (const earlier of earlierMs) writer.int(earlier);
  });
}

export function readRepeats(reader: ByteReader, memory: RepeatMemory): void {
  const size = reader.uint();
  if (size === 0) return;
  const bodies: string[] = [];
  const numbers: number[] = [];
  for (let count = 0; count < size; count++) {
    const body = bodyOfStored(reader.text());
    bodies.push(body);
    numbers.push(reader.uint(), reader.int());
    const earlier = reader.uint();
    if (earlier > 0)
      memory.restoreEarlier(
        body,
        Array.from({ length: earlier }, () => reader.int()),
      );
  }
  memory.restore(bodies, numbers);
}

function writeSession(writer: ByteWriter, session: Session): void {
  writer.int(session.channelId);
  writer.text(session.id);
  writer.int(session.openedAtMs);
  writer.uint(session.openedOffset);
  writer.int(session.loginAtMs);
  writer.int(session.lastEventAtMs);
  writer.int(session.expiresAtMs);
  writer.bool(session.expiresBy === 'absolute');
  writeInstant(writer, session.closed?.atMs);
  if (session.closed !== undefined) writer.bool(session.closed.by === 'action');
  writer.uint(session.logins);
  writer.uint(session.operations);
  writer.text(session.ip);
  writer.bool(session.ipChanged);
}

function readSession(reader: ByteReader): Session {
  return {
    channelId: reader.int(),
    id: reader.text(),
    openedAtMs: reader.int(),
    openedOffset: reader.uint(),
    loginAtMs: reader.int(),
    lastEventAtMs: reader.int(),
    expiresAtMs: reader.int(),
    expiresBy: reader.bool() ? 'absolute' : 'idle',
    closed: readClosed(reader),
    logins: reader.uint(),
    operations: reader.uint(),
    ip: reader.text(),
    ipChanged: reader.bool(),
    carried: undefined,
  };
}

function readClosed(reader: ByteReader): Session['closed'] {
  const atMs = readInstant(reader);
  return atMs === undefined ? undefined : { atMs, by: reader.bool() ? 'action' : 'logout' };
}

function writeAwaited(writer: ByteWriter, action: AwaitedAction): void {
  writer.uint(action.offset);
  writer.uint(action.reason);
  writer.uint(action.position);
  writer.uint(action.action);
  writer.bool(action.session !== undefined);
  if (action.session === undefined) return;
  writer.int(action.session.channelId);
  writer.text(action.session.id);
  writer.uint(action.session.openedOffset);
}

function readAwaited(reader: ByteReader): AwaitedAction {
  return {
    offset: reader.uint(),
    reason: reader.uint(),
    position: reader.uint(),
    action: reader.uint(),
    session: reader.bool() ? { channelId: reader.int(), id: reader.text(), openedOffset: reader.uint() } : undefined,
  };
}

function writeInstant(writer: ByteWriter, atMs: number | undefined): void {
  writer.bool(atMs !== undefined);
  if (atMs !== undefined) writer.int(atMs);
}

function readInstant(reader: ByteReader): number | undefined {
  return reader.bool() ? reader.int() : undefined;
}
