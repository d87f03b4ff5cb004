import type { Place } from '../../platform/secrets/seal.ts';

/** The place of an entity's state, in whichever segment. */
export function entityPlace(workspaceId: string, name: Buffer): Place {
  return { of: `entity:${workspaceId}:${name.toString('hex')}`, row: '' };
}

/** The place of the engine's global state as of an offset, in a checkpoint or a base. */
export function statePlace(workspaceId: string, nextOffset: number): Place {
  return { of: `entity:${workspaceId}`, row: `state:${nextOffset}` };
}
