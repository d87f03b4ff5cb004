import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { readTails, writeTails } from './extras-codec.ts';
import type { FeatureEntity } from './feature-entity.ts';
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
  let beforeMs = 0;
  for (let row = entity.head; row < entity.end; row++) {
    writeRow(writer, entity, { row, beforeMs });
    beforeMs = entity.atMs(row);
  }
  writeTails(writer, entity, entity.layout);
}

function writeRow(
  writer: ByteWriter,
  entity: FeatureEntity,
  { row, beforeMs }: { readonly row: number; readonly beforeMs: number },
): void {
  const { columns, maskWords } = entity.layout;
  writer.int(entity.atMs(row) - beforeMs);
  for (let word = 0; word < maskWords; word++) writer.uint(entity.mask(row, word) >>> 0);
  for (let column = 0; column < columns.length; column++) {
    const wide = entity.wide[column];
    if (wide === undefined) writer.int(entity.value(row, column));
    else writer.big(wide[row]!);
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
  const wide = layout.columns.map(() => (reader.bool() ? [] : undefined));
  if (wide.some((values) => values !== undefined)) entity.wide = wide;
  const rows = reader.uint();
  entity.appendRows(rows);
  let atMs = 0;
  for (let row = 0; row < rows; row++) {
    atMs += reader.int();
    entity.setAtMs(row, atMs);
    readRow(reader, entity, row);
  }
  readTails(reader, entity, layout);
  noteRows(entity);
}

function readRow(reader: ByteReader, entity: FeatureEntity, row: number): void {
  const { layout, wide } = entity;
  const { columns, maskWords } = layout;
  for (let word = 0; word < maskWords; word++) entity.setMask(row, word, reader.uint());
  for (let column = 0; column < columns.length; column++) {
    const values = wide[column];
    entity.setValue(row, column, values === undefined ? reader.int() : 0);
    if (values !== undefined) values[row] = reader.big();
  }
}
