import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { HoldEnd } from '@ringfence/policy';
import type { Hold, HoldMember, RenderedAction } from '../../holds/hold.ts';
import type { HoldBook } from '../../holds/hold-book.ts';
import type { ActionRef } from '../../record.ts';

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
  writer.optionalText(hold.payee);
  writer.optionalText(hold.amount === undefined ? undefined : String(hold.amount));
  writer.optionalText(hold.currency);
  writeAction(writer, hold.holding);
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
  const [subject, channelId, payee] = [reader.text(), reader.int(), reader.optionalText()];
  const amount = reader.optionalText();
  return {
    ref,
    subject,
    channelId,
    payee,
    amount: amount === undefined ? undefined : BigInt(amount),
    currency: reader.optionalText(),
    holding: readAction(reader),
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
  writer.optionalText(member.client);
  writer.optionalText(member.reference);
  writeAction(writer, member.release);
  writeAction(writer, member.reject);
  writer.bool(member.isFraud);
}

function readMember(reader: ByteReader): HoldMember {
  return {
    ref: readRef(reader),
    session: reader.text(),
    client: reader.optionalText(),
    reference: reader.optionalText(),
    release: readAction(reader),
    reject: readAction(reader),
    isFraud: reader.bool(),
  };
}

function writeAction(writer: ByteWriter, { action, message, format }: RenderedAction): void {
  writer.uint(action);
  writer.text(message);
  writer.bool(format === 'html');
}

function readAction(reader: ByteReader): RenderedAction {
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
  writer.optionalInt(epoch);
}

export function readEpoch(reader: ByteReader): number | undefined {
  return reader.optionalInt();
}
