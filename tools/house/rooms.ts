import { readFileSync } from 'node:fs';
import { paths, root } from './source-file.ts';

/** The parts of a package.json that the house has rules for. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly type?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** A folder with a package.json. The root itself is the room with folder "". */
export interface Room {
  readonly folder: string;
  readonly manifest: Manifest;
}

export function rooms(): readonly Room[] {
  return paths(['package.json', '{packages,apps}/*/package.json', '{bench,e2e}/package.json']).map((path) => ({
    folder: path.slice(0, -'/package.json'.length),
    manifest: JSON.parse(readFileSync(`${root}/${path}`, 'utf8')) as Manifest,
  }));
}

/** The room that a file belongs to: the one with the longest folder above it. */
export function roomOf(path: string, all: readonly Room[]): Room {
  const above = all.filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
  const nearest = above.toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (nearest === undefined) throw new Error(`${path} is in no room`);
  return nearest;
}

/** Packages that code of a room may import: tests and tools also what is declared for development. */
export function declared(manifest: Manifest, forDevelopment: boolean): ReadonlySet<string> {
  return new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...(forDevelopment ? Object.keys(manifest.devDependencies ?? {}) : []),
  ]);
}
