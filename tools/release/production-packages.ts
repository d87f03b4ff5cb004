import type { Lock } from '../lock/missing-platforms.ts';

/** A package of the registry that a workspace needs to run, as the lock file describes it. */
export interface ProductionPackage {
  /** Its folder, from the root: `node_modules/pg`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly licence: string;
  /** The SHA-512 of its tarball, in the form of the lock file. */
  readonly integrity: string;
  /** Folders of the packages that it needs, in alphabetical order. */
  readonly needs: readonly string[];
}

/**
 * The packages that a workspace needs to run, directly and indirectly, also through other workspaces, in alphabetical
 * order of their folders. Without optional packages that are not installed: those of other platforms.
 *
 * @param room folder of the workspace, `apps/server`
 * @throws Error if the lock file lacks a package that is needed
 */
export function productionPackages(
  lock: Lock,
  room: string,
  isInstalled: (folder: string) => boolean,
): readonly ProductionPackage[] {
  const found = new Map<string, ProductionPackage>();
  const seen = new Set<string>();
  const open = [room];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    const needs = neededFolders(lock, folder, isInstalled);
    open.push(...needs);
    const name = nameOf(folder);
    if (name === undefined) continue; // a workspace: a part of the product
    const { version = '', license = '', integrity = '' } = lock.packages[folder] ?? {};
    found.set(folder, { folder, name, version, licence: license, integrity, needs });
  }
  return [...found.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** `node_modules/a/node_modules/@b/c` is `@b/c`; `undefined` for a workspace. */
function nameOf(folder: string): string | undefined {
  const at = folder.lastIndexOf('node_modules/');
  return at === -1 ? undefined : folder.slice(at + 'node_modules/'.length);
}

function neededFolders(lock: Lock, folder: string, isInstalled: (folder: string) => boolean): readonly string[] {
  const {
    dependencies,
    optionalDependencies = {},
    peerDependencies,
    peerDependenciesMeta = {},
  } = lock.packages[folder] ?? {};
  const needed = new Set<string>();
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const isOptional = name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
    const place = placeOf(lock, folder, name);
    if (place === undefined && !isOptional) throw new Error(`package-lock.json: ${folder} lacks ${name}`);
    if (place === undefined || (isOptional && !(name in optionalDependencies && isInstalled(place)))) continue;
    const { link, resolved } = lock.packages[place] ?? {};
    needed.add(link === true && resolved !== undefined ? resolved : place);
  }
  return [...needed].toSorted();
}

/** Where Node finds a package from that folder: in its own `node_modules`, or in those above it. */
function placeOf(lock: Lock, folder: string, name: string): string | undefined {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/')))) {
    const place = above === '' ? `node_modules/${name}` : `${above}/node_modules/${name}`;
    if (place in lock.packages) return place;
    if (above === '') return undefined;
  }
}
