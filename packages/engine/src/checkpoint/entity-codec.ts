import { assert, unreachable } from '@ringfence/contract';
import { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { readFeatureEntity, writeFeatureEntity } from '../features/feature-codec.ts';
import type { FeatureTable } from '../features/feature-table.ts';
import { DirectoryEntity } from '../sessions/directory-entity.ts';
import type { Entity } from '../store/entity-store.ts';
import { parseKey } from '../store/entity-key.ts';
import { readClient, writeClient } from './client-codec.ts';

/** Of every snapshot the first byte. It changes when old bytes can't be read any more; then the log is replayed. */
export const snapshotVersion = 1;

/** The state of one entity. Equal states give equal bytes. */
export function encodeEntity(writer: ByteWriter, entity: Entity): Uint8Array {
  writer.uint(snapshotVersion);
  switch (entity.kind) {
    case 'client':
      writeClient(writer, entity);
      break;
    case 'directory':
      writer.bool(entity.holder !== undefined);
      if (entity.holder !== undefined) {
        writer.text(entity.holder.subject);
        writer.int(entity.holder.untilMs);
      }
      break;
    case 'feature':
      writer.text(entity.subject ?? '');
      writeFeatureEntity(writer, entity);
  }
  return writer.take();
}

/** @throws InvariantError for bytes that `encodeEntity` of this version did not give under this key */
export function decodeEntity(key: string, bytes: Uint8Array, table: FeatureTable): Entity {
  const reader = new ByteReader(bytes);
  const name = parseKey(key);
  assert(reader.uint() === snapshotVersion, 'a snapshot of this version');
  const entity = readNamed(reader, name, table);
  assert(reader.done, 'a snapshot ends where its last value ends');
  return entity;
}

function readNamed(reader: ByteReader, name: ReturnType<typeof parseKey>, table: FeatureTable): Entity {
  switch (name.kind) {
    case 'client':
      return readClient(reader, name.subject);
    case 'directory':
      return new DirectoryEntity(
        name.session,
        reader.bool() ? { subject: reader.text(), untilMs: reader.int() } : undefined,
      );
    case 'feature': {
      const subject = reader.text();
      const entity = readFeatureEntity(reader, {
        key: name.value,
        subject: subject === '' ? undefined : subject,
        layoutOf: (id) => table.layout(id),
      });
      assert(entity.layout.group === name.group, 'a feature entity of its own group');
      return entity;
    }
    default:
      return unreachable(name);
  }
}
