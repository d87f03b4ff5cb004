import type { ByteReader, ByteWriter } from '@ringfence/contract';

export function maybeText(writer: ByteWriter, text: string | undefined): void {
  writer.bool(text !== undefined);
  if (text !== undefined) writer.text(text);
}

export function readMaybeText(reader: ByteReader): string | undefined {
  return reader.bool() ? reader.text() : undefined;
}

export function maybeInt(writer: ByteWriter, value: number | undefined): void {
  writer.bool(value !== undefined);
  if (value !== undefined) writer.int(value);
}

export function readMaybeInt(reader: ByteReader): number | undefined {
  return reader.bool() ? reader.int() : undefined;
}
