import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { findPlace } from './embedded/data-directory.ts';

/** Free space on the disk of a folder. */
export interface DiskSpace {
  readonly folder: string;
  /** For processes other than root's. */
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/**
 * The folder with the data of the embedded database of `home`, existing or not: it may be on another disk than `home`.
 *
 * @throws OperatorError when the folder was moved away
 */
export async function databaseFolder(home: string): Promise<string> {
  const folder = (await findPlace(home))?.folder ?? home;
  return existsSync(folder) ? folder : dirname(folder);
}

export function diskSpaceOf(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
