import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { EverybodysLogins } from '../../habits/everybodys-logins.ts';
import type { LoginCounts } from '../../habits/login-counts.ts';
import { LoginHabits } from '../../habits/login-habits.ts';
import { everybodysCells } from '../../limits.ts';

export function writeHabits(writer: ByteWriter, habits: LoginHabits): void {
  writer.uint(habits.logins);
  writeTotals(writer, habits);
  writer.uint(habits.size);
  habits.forEach((hash, count) => {
    writer.int(hash);
    writer.uint(count);
  });
}

export function readHabits(reader: ByteReader): LoginHabits {
  const habits = new LoginHabits();
  habits.logins = reader.uint();
  readTotals(reader, habits);
  for (let left = reader.uint(); left > 0; left--) habits.put(reader.int(), reader.uint());
  return habits;
}

/** Writes the cells that are not 0, each with its distance from the one before. */
export function writeEverybody(writer: ByteWriter, everybody: EverybodysLogins): void {
  writer.uint(everybody.logins);
  writeTotals(writer, everybody);
  let last = -1;
  for (const [cell, count] of everybody.cells.entries()) {
    if (count === 0) continue;
    writer.uint(cell - last);
    writer.uint(count);
    last = cell;
  }
  writer.uint(0);
}

export function readEverybody(reader: ByteReader, everybody: EverybodysLogins): void {
  everybody.logins = reader.uint();
  readTotals(reader, everybody);
  everybody.cells = new Uint32Array(2 * everybodysCells);
  let cell = -1;
  for (let distance = reader.uint(); distance > 0; distance = reader.uint()) {
    cell += distance;
    everybody.cells[cell] = reader.uint();
  }
}

function writeTotals(writer: ByteWriter, { places, software, timed, hours }: LoginCounts): void {
  for (const count of [places, software, timed, ...hours]) writer.uint(count);
}

function readTotals(reader: ByteReader, counts: LoginCounts): void {
  counts.places = reader.uint();
  counts.software = reader.uint();
  counts.timed = reader.uint();
  for (let hour = 0; hour < counts.hours.length; hour++) counts.hours[hour] = reader.uint();
}
