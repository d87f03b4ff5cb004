import { readFileSync } from 'node:fs';
import { paths, root } from './source-file.ts';

/** The members of a package.json that have house rules. */
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

/** A folder with a package.json: a workspace, or the root with folder "". */
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

/** The workspace of a file: the one with the longest folder above it. */
export function roomOf(path: string, all: readonly Room[]): Room {
  const above = all.filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
  const nearest = above.toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (nearest === undefined) throw new Error(`${path} is in no room`);
  return nearest;
}

/** Packages that code of a workspace may import; tests and tools may also import development dependencies. */
export function declared(manifest: Manifest, forDevelopment: boolean): ReadonlySet<string> {
  return new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...(forDevelopment ? Object.keys(manifest.devDependencies ?? {}) : []),
  ]);
}
