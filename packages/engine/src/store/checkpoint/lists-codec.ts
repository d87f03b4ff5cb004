import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { Suppressions } from '../../deciding/suppressions.ts';
import type { LiveLists } from '../../lists/live-lists.ts';

/** Encodes an item without expiry. */
const forGood = -1;
/** Encodes an item that names no client. */
const nobody = '';

export function writeLists(writer: ByteWriter, lists: LiveLists): void {
  const held = lists.held();
  writer.uint(held.length);
  for (const [name, list] of held) {
    writer.text(name);
    writer.uint(list.items.size);
    for (const [item, untilMs] of list.items) {
      writer.text(item);
      writer.int(untilMs === Infinity ? forGood : untilMs);
      writer.text(list.subjectOf(item) ?? nobody);
    }
  }
}

export function readLists(reader: ByteReader, lists: LiveLists): void {
  const held = reader.uint();
  for (let count = 0; count < held; count++) {
    const list = lists.of(reader.text());
    const items = reader.uint();
    for (let item = 0; item < items; item++) {
      const text = reader.text();
      const untilMs = reader.int();
      const subject = reader.text();
      list.put(text, untilMs === forGood ? Infinity : untilMs, subject === nobody ? undefined : subject);
    }
  }
}

export function writeSuppressions(writer: ByteWriter, { entries }: Suppressions): void {
  writer.uint(entries.size);
  for (const [key, untilMs] of entries) {
    writer.text(key);
    writer.int(untilMs);
  }
}

export function readSuppressions(reader: ByteReader, suppressions: Suppressions): void {
  const count = reader.uint();
  for (let one = 0; one < count; one++) suppressions.restore(reader.text(), reader.int());
}
