import {
  decodeClient,
  decodeDirectory,
  writeClientSnapshot,
  writeDirectorySnapshot,
} from '../checkpoint/entity-codec.ts';
import { ClientEntity } from '../../clients/client-entity.ts';
import { DirectoryEntity } from '../../sessions/directory-entity.ts';
import type { EntityKind } from './entity-table.ts';

/** Clients, by subject id. */
export const clientKind: EntityKind<ClientEntity> = {
  nameOf: ({ subject }) => subject,
  begin: (subject) => new ClientEntity(subject),
  write: writeClientSnapshot,
  read: decodeClient,
};

/** The client of a session's name, by that name. */
export const directoryKind: EntityKind<DirectoryEntity> = {
  nameOf: ({ session }) => session,
  begin: (session) => new DirectoryEntity(session),
  write: (writer, { holder }) => {
    if (holder !== undefined) writeDirectorySnapshot(writer, holder);
  },
  read: decodeDirectory,
};
