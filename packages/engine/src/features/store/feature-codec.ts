import { type ByteReader, type ByteWriter, intBytesMax, putInt, putUint, uintBytesMax } from '@ringfence/contract';
import { readTails, writeTails } from './overflow-codec.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { noteRows } from '../window/note-rows.ts';
import { timeIn, valueIn } from './row-shape.ts';

/** Rows that are written per call. */
const rowsAtOnce = 64;

/** Writes the state of an entity. Moving windows and spare capacity are omitted; they are rebuilt on demand. */
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

/** For each row the time since the previous row, its mask, and its values. */
function writeRows(writer: ByteWriter, entity: FeatureEntity): void {
  const { head, end } = entity;
  if (entity.wide.some((values) => values !== undefined)) {
    for (let row = head; row < end; row++) writeWideRow(writer, entity, row);
    return;
  }
  const { layout, shape } = entity;
  const rowBytesMax = intBytesMax * (1 + shape.places.length) + uintBytesMax * layout.maskWords;
  for (let row = head; row < end; row += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, end - row);
    writer.put(count * rowBytesMax, { entity, row, count }, putRows);
  }
}

function writeWideRow(writer: ByteWriter, entity: FeatureEntity, row: number): void {
  const { head, layout, wide } = entity;
  writer.int(entity.atMs(row) - (row === head ? 0 : entity.atMs(row - 1)));
  for (let word = 0; word < layout.maskWords; word++) writer.uint(entity.mask(row, word) >>> 0);
  for (let column = 0; column < layout.columns.length; column++) {
    const large = wide[column];
    if (large !== undefined) writer.big(large[row]!);
    else writer.int(entity.value(row, column));
  }
}

/** Copies rows straight from one array to the other, because a checkpoint writes every row of each changed entity. */
function putRows(
  bytes: Uint8Array,
  from: number,
  { entity, row, count }: { readonly entity: FeatureEntity; readonly row: number; readonly count: number },
): number {
  const { page, head, layout, shape } = entity;
  const { maskAt, maskBits, maskWords } = layout;
  const { places, stride } = shape;
  const begin = entity.intOf(row);
  const step = stride * 2;
  const { ints } = page;
  let beforeMs = row === head ? 0 : timeIn(ints, begin - step);
  let at = from;
  for (let int = begin, behind = begin + count * step; int < behind; int += step) {
    const atMs = timeIn(ints, int);
    at = putInt(bytes, at, atMs - beforeMs);
    beforeMs = atMs;
    for (let word = 0; word < maskWords; word++) {
      at = putUint(bytes, at, (ints[int + maskAt + word]! & maskBits) >>> 0);
    }
    for (let column = 0; column < places.length; column++) at = putInt(bytes, at, valueIn(page, int, places[column]!));
  }
  return at;
}

/** The layout id at the start of what `writeFeatureEntity` wrote. */
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
