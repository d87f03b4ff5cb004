import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { HoldEnd } from '@ringfence/policy';
import type { Ender, Hold, HoldMember } from '../../holds/hold.ts';
import type { HoldBook } from '../../holds/hold-book.ts';
import type { ActionRef } from '../../record.ts';
import { maybeInt, maybeText, readMaybeInt, readMaybeText } from './optional-codec.ts';

/** Open holds, and the rejected payments that are to be held again. */
export function writeHolds(writer: ByteWriter, holds: HoldBook): void {
  writer.uint(holds.open.length);
  for (const hold of holds.open) writeHold(writer, hold);
  writer.uint(holds.rejected.size);
  for (const { hold, untilMs } of holds.rejected.values()) {
    writer.int(untilMs);
    writeHold(writer, hold);
  }
}

export function readHolds(reader: ByteReader, holds: HoldBook): void {
  for (const hold of reader.list(() => readHold(reader))) holds.add(hold);
  const rejected = reader.list(() => ({ untilMs: reader.int(), hold: readHold(reader) }));
  for (const { hold, untilMs } of rejected) holds.reject(hold, untilMs, 0);
}

function writeHold(writer: ByteWriter, hold: Hold): void {
  writeRef(writer, hold.ref);
  writer.text(hold.subject);
  writer.int(hold.channelId);
  maybeText(writer, hold.payee);
  maybeText(writer, hold.amount === undefined ? undefined : String(hold.amount));
  maybeText(writer, hold.currency);
  writeEnder(writer, hold.holding);
  writer.int(hold.withinMs);
  writer.text(hold.otherwise);
  writer.int(hold.openedAtMs);
  writer.int(hold.dueMs);
  writer.bool(hold.isKept);
  writer.bool(hold.isProposed);
  writer.bool(hold.isInterrupted);
  writer.uint(hold.members.length);
  for (const member of hold.members) writeMember(writer, member);
}

function readHold(reader: ByteReader): Hold {
  const ref = readRef(reader);
  const [subject, channelId, payee] = [reader.text(), reader.int(), readMaybeText(reader)];
  const amount = readMaybeText(reader);
  return {
    ref,
    subject,
    channelId,
    payee,
    amount: amount === undefined ? undefined : BigInt(amount),
    currency: readMaybeText(reader),
    holding: readEnder(reader),
    withinMs: reader.int(),
    otherwise: reader.text() as HoldEnd,
    openedAtMs: reader.int(),
    dueMs: reader.int(),
    isKept: reader.bool(),
    isProposed: reader.bool(),
    isInterrupted: reader.bool(),
    members: reader.list(() => readMember(reader)),
  };
}

function writeMember(writer: ByteWriter, member: HoldMember): void {
  writeRef(writer, member.ref);
  writer.text(member.session);
  maybeText(writer, member.client);
  maybeText(writer, member.reference);
  writeEnder(writer, member.release);
  writeEnder(writer, member.reject);
  writer.bool(member.isFraud);
}

function readMember(reader: ByteReader): HoldMember {
  return {
    ref: readRef(reader),
    session: reader.text(),
    client: readMaybeText(reader),
    reference: readMaybeText(reader),
    release: readEnder(reader),
    reject: readEnder(reader),
    isFraud: reader.bool(),
  };
}

function writeEnder(writer: ByteWriter, { action, message, format }: Ender): void {
  writer.uint(action);
  writer.text(message);
  writer.bool(format === 'html');
}

function readEnder(reader: ByteReader): Ender {
  return { action: reader.uint(), message: reader.text(), format: reader.bool() ? 'html' : 'text' };
}

function writeRef(writer: ByteWriter, { offset, reason, position }: ActionRef): void {
  writer.uint(offset);
  writer.uint(reason);
  writer.uint(position);
}

function readRef(reader: ByteReader): ActionRef {
  return { offset: reader.uint(), reason: reader.uint(), position: reader.uint() };
}

/** The epoch of the last record. */
export function writeEpoch(writer: ByteWriter, epoch: number | undefined): void {
  maybeInt(writer, epoch);
}

export function readEpoch(reader: ByteReader): number | undefined {
  return readMaybeInt(reader);
}
