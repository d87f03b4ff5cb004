import { clientVersion } from './client-codec.ts';
import { snapshotVersion } from './entity-codec.ts';
import { globalsVersion } from './globals-codec.ts';

/** The forms in which the engine's state is stored. An older release cannot read one that is higher than its own. */
export const formVersions = { globals: globalsVersion, client: clientVersion, entity: snapshotVersion } as const;
