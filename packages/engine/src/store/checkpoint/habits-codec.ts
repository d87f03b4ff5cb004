import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { EverybodysLogins } from '../../habits/everybodys-logins.ts';
import { LoginHabits } from '../../habits/login-habits.ts';
import { everybodysCells } from '../../limits.ts';

export function writeHabits(writer: ByteWriter, habits: LoginHabits): void {
  writer.uint(habits.logins);
  writer.uint(habits.size);
  habits.forEach((hash, count) => {
    writer.int(hash);
    writer.uint(count);
  });
}

export function readHabits(reader: ByteReader): LoginHabits {
  const habits = new LoginHabits();
  habits.logins = reader.uint();
  for (let left = reader.uint(); left > 0; left--) habits.put(reader.int(), reader.uint());
  return habits;
}

/** Writes the cells that are not 0, each with its distance from the one before. */
export function writeEverybody(writer: ByteWriter, { logins, cells }: EverybodysLogins): void {
  writer.uint(logins);
  let last = -1;
  for (const [cell, count] of cells.entries()) {
    if (count === 0) continue;
    writer.uint(cell - last);
    writer.uint(count);
    last = cell;
  }
  writer.uint(0);
}

export function readEverybody(reader: ByteReader, everybody: EverybodysLogins): void {
  everybody.logins = reader.uint();
  everybody.cells = new Uint32Array(2 * everybodysCells);
  let cell = -1;
  for (let distance = reader.uint(); distance > 0; distance = reader.uint()) {
    cell += distance;
    everybody.cells[cell] = reader.uint();
  }
}
