import { clientVersion } from './client-codec.ts';
import { snapshotVersion } from './entity-codec.ts';
import { globalsVersion } from './globals-codec.ts';

/** Versions of the stored state. A release cannot read a version higher than its own. */
export const formVersions = { globals: globalsVersion, client: clientVersion, entity: snapshotVersion } as const;
