import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { readTails, writeTails } from './extras-codec.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { noteRows } from './note-rows.ts';
import { timeIn, valueIn } from './row-shape.ts';

/** Writes all that decides; cursors and free room are left out, and come again by themselves. */
export function writeFeatureEntity(writer: ByteWriter, entity: FeatureEntity): void {
  writer.uint(entity.layout.id);
  writer.uint(entity.sweepAt);
  for (let place = 0; place < entity.layout.scalars; place++) {
    const scalar = entity.scalar(place);
    writer.bool(!Number.isNaN(scalar));
    if (!Number.isNaN(scalar)) writer.int(scalar);
  }
  entity.texts.write(writer);
  for (let column = 0; column < entity.layout.columns.length; column++) writer.bool(entity.wide[column] !== undefined);
  writer.uint(entity.rows);
  writeRows(writer, entity);
  writeTails(writer, entity, entity.layout);
}

/** Straight from the page: a checkpoint writes every row of each that has changed. */
function writeRows(writer: ByteWriter, entity: FeatureEntity): void {
  const { page, wide, head, end } = entity;
  const { maskAt, maskBits, maskWords } = entity.layout;
  const { places, stride } = entity.shape;
  let beforeMs = 0;
  let int = entity.intOf(head);
  for (let row = head; row < end; row++, int += stride * 2) {
    const atMs = timeIn(page.ints, int);
    writer.int(atMs - beforeMs);
    beforeMs = atMs;
    for (let word = 0; word < maskWords; word++) writer.uint((page.ints[int + maskAt + word]! & maskBits) >>> 0);
    for (let column = 0; column < places.length; column++) {
      const large = wide[column];
      if (large !== undefined) writer.big(large[row]!);
      else writer.int(valueIn(page, int, places[column]!));
    }
  }
}

/** The layout of what `writeFeatureEntity` wrote. */
export function readLayoutId(reader: ByteReader): number {
  return reader.uint();
}

/** Reads the rest of what `writeFeatureEntity` wrote into an empty entity of that layout. */
export function readFeatureEntity(reader: ByteReader, entity: FeatureEntity): void {
  const { layout } = entity;
  entity.sweepAt = reader.uint();
  for (let place = 0; place < layout.scalars; place++) if (reader.bool()) entity.setScalar(place, reader.int());
  entity.readTexts(reader);
  let wide: (bigint[] | undefined)[] | undefined;
  for (let column = 0; column < layout.columns.length; column++) {
    if (reader.bool()) (wide ??= layout.columns.map(() => undefined))[column] = [];
  }
  if (wide !== undefined) entity.wide = wide;
  entity.appendRows(reader.uint());
  readRows(reader, entity);
  readTails(reader, entity, layout);
  noteRows(entity);
}

function readRows(reader: ByteReader, entity: FeatureEntity): void {
  const { wide, end, layout } = entity;
  const columns = layout.columns.length;
  let atMs = 0;
  for (let row = 0; row < end; row++) {
    atMs += reader.int();
    entity.beginRow(row, atMs);
    for (let word = 0; word < layout.maskWords; word++) entity.addMask(row, word, reader.uint());
    for (let column = 0; column < columns; column++) {
      const large = wide[column];
      if (large === undefined) entity.setValue(row, column, reader.int());
      else large[row] = reader.big();
    }
  }
}
