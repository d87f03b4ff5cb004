import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { readTails, writeTails } from './extras-codec.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { maskCell } from './layout.ts';
import { noteRows } from './note-rows.ts';

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
  const { cells, ints, wide, head, end } = entity;
  const { maskWords, places, stride } = entity.layout;
  let beforeMs = 0;
  let cell = entity.cellOf(head);
  for (let row = head; row < end; row++, cell += stride) {
    const atMs = cells[cell]!;
    writer.int(atMs - beforeMs);
    beforeMs = atMs;
    for (let word = 0; word < maskWords; word++) writer.uint(ints[(cell + maskCell) * 2 + word]! >>> 0);
    for (let column = 0; column < places.length; column++) {
      const place = places[column]!;
      const large = wide[column];
      if (large !== undefined) writer.big(large[row]!);
      else writer.int(place > 0 ? cells[cell + place]! : ints[cell * 2 - place]!);
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
  const { cells, ints, wide, end } = entity;
  const { maskWords, places, stride } = entity.layout;
  let atMs = 0;
  let cell = entity.cellOf(0);
  for (let row = 0; row < end; row++, cell += stride) {
    atMs += reader.int();
    cells[cell] = atMs;
    for (let word = 0; word < maskWords; word++) ints[(cell + maskCell) * 2 + word] = reader.uint();
    for (let column = 0; column < places.length; column++) {
      const place = places[column]!;
      const large = wide[column];
      const value = large === undefined ? reader.int() : 0;
      if (place > 0) cells[cell + place] = value;
      else ints[cell * 2 - place] = value;
      if (large !== undefined) large[row] = reader.big();
    }
  }
}
