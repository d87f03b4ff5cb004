import { type ByteReader, type ByteWriter, outcomeNames } from '@ringfence/contract';
import { type AwaitedAction, ClientEntity } from '../../clients/client-entity.ts';
import type { StepUpResult } from '../../clients/reported-outcomes.ts';
import type { ActionTimes } from '../../deciding/action-times.ts';
import { readActionTimes, writeActionTimes } from './action-times-codec.ts';
import { hasFamiliar, readFamiliar, writeFamiliar } from './familiar-codec.ts';
import { readHabits, writeHabits } from './habits-codec.ts';
import type { SubjectId } from '../../record.ts';
import { isClosed, markOf, type Session, type SessionEnd } from '../../sessions/session.ts';

/** The highest version of a client's encoding: with habits. A client without them is written as the version before. */
export const clientVersion = 6;
const withoutHabits = 5;
/** The first version that a release wrote: without outcomes, and awaited actions without their time and methods. */
export const clientVersionMin = 4;

const noTimes: ReadonlyMap<number, ActionTimes> = new Map();

/** Times are written as differences from a nearby one, which takes fewer bytes. */
/** The version that this client is written as. */
export function clientVersionOf({ habits }: ClientEntity): number {
  return habits === undefined ? withoutHabits : clientVersion;
}

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
  writeOutcomes(writer, client);
  if (client.habits !== undefined) writeHabits(writer, client.habits);
}

export function readClient(reader: ByteReader, subject: SubjectId, version: number): ClientEntity {
  const client = new ClientEntity(subject);
  const firstSeenMs = readInstant(reader);
  client.restoreSeen(firstSeenMs, readInstant(reader, firstSeenMs));
  client.logins = reader.uint();
  client.operations = reader.uint();
  const blockedAtMs = readInstant(reader);
  if (blockedAtMs !== undefined) client.block = { atMs: blockedAtMs, untilMs: reader.int() };
  const sessions = reader.list(() => readSession(reader));
  if (sessions.length > 0) client.sessions.restore(sessions);
  client.repeats.read(reader);
  const awaited = reader.list(() => readAwaited(reader, version));
  if (awaited.length > 0) client.awaited = awaited;
  const cooldowns = reader.uint();
  for (let count = 0; count < cooldowns; count++) client.restoreCooldown(reader.text(), reader.int());
  readActionTimes(reader, client);
  if (reader.bool()) readFamiliar(reader, client);
  if (version > clientVersionMin) readOutcomes(reader, client);
  if (version > withoutHabits) client.habits = readHabits(reader);
  return client;
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

function readSession(reader: ByteReader): Session {
  const [channelId, id, openedAtMs, openedOffset] = [reader.int(), reader.text(), reader.int(), reader.uint()];
  const loginAtMs = openedAtMs + reader.int();
  const loginOffset = openedOffset + reader.uint();
  const lastEventAtMs = openedAtMs + reader.int();
  const { endsAtMs, endsBy } = readEnd(reader, lastEventAtMs);
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
  writer.optionalText(action.device);
  writer.int(action.atMs);
  writer.bool(action.methods !== undefined);
  if (action.methods !== undefined) {
    writer.uint(action.methods.length);
    for (const method of action.methods) writer.text(method);
  }
  writer.bool(action.session !== undefined);
  if (action.session === undefined) return;
  writer.int(action.session.channelId);
  writer.text(action.session.id);
  writer.uint(action.session.openedOffset);
}

/** In the first version, no result of a step-up counted: its time is long ago. */
function readAwaited(reader: ByteReader, version: number): AwaitedAction {
  const isTimed = version > clientVersionMin;
  return {
    offset: reader.uint(),
    reason: reader.uint(),
    position: reader.uint(),
    action: reader.uint(),
    device: reader.optionalText(),
    atMs: isTimed ? reader.int() : 0,
    methods: isTimed && reader.bool() ? reader.list(() => reader.text()) : undefined,
    session: reader.bool() ? { channelId: reader.int(), id: reader.text(), openedOffset: reader.uint() } : undefined,
  };
}

function writeOutcomes(writer: ByteWriter, { lastOutcome, stepUps }: ClientEntity): void {
  writer.uint(stepUps.length);
  for (const { result, atMs, openedOffset } of stepUps) {
    writer.uint(stepUpResults.indexOf(result));
    writer.int(atMs);
    // 0 for none.
    writer.uint(openedOffset === undefined ? 0 : openedOffset + 1);
  }
  writeInstant(writer, lastOutcome?.atMs);
  if (lastOutcome !== undefined) writer.uint(outcomeNames.indexOf(lastOutcome.outcome));
}

function readOutcomes(reader: ByteReader, client: ClientEntity): void {
  const stepUps = reader.list((): StepUpResult => {
    const [result, atMs, opened] = [stepUpResults[reader.uint()]!, reader.int(), reader.uint()];
    return { result, atMs, openedOffset: opened === 0 ? undefined : opened - 1 };
  });
  if (stepUps.length > 0) client.stepUps = stepUps;
  const atMs = readInstant(reader);
  if (atMs !== undefined) client.lastOutcome = { outcome: outcomeNames[reader.uint()]!, atMs };
}

/** Numbered in the encoding: append only. */
const stepUpResults: readonly StepUpResult['result'][] = ['passed', 'failed', 'abandoned'];

function writeInstant(writer: ByteWriter, atMs: number | undefined, nearMs = 0): void {
  writer.bool(atMs !== undefined);
  if (atMs !== undefined) writer.int(atMs - nearMs);
}

function readInstant(reader: ByteReader, nearMs = 0): number | undefined {
  return reader.bool() ? nearMs + reader.int() : undefined;
}
