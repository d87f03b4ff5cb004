import type { Lock } from '../../lock/missing-platforms.ts';
import type { Room } from '../rooms.ts';
import type { Finding } from '../source-file.ts';

const exactVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Without a pinned version, an old Node silently installs older packages. */
export function versionFindings(all: readonly Room[]): readonly Finding[] {
  const first = new Map<string, { readonly version: string; readonly room: string }>();
  return all.flatMap(({ folder, manifest }) =>
    dependencies(manifest).flatMap(([name, version]) => {
      const room = folder || 'the root';
      if (!exactVersion.test(version)) return [`${room}: ${name} must be pinned to one version, not ${version}`];
      const before = first.get(name);
      first.set(name, before ?? { version, room });
      if (before === undefined || before.version === version) return [];
      return [`${room}: ${name} is ${version}, but ${before.version} in ${before.room}`];
    }),
  );
}

/** The other required members of a workspace's package.json. */
export function roomFindings({ folder, manifest }: Room): readonly Finding[] {
  if (folder === '') return [];
  const findings: Finding[] = [];
  const name = `@ringfence/${folder.split('/').at(-1) ?? ''}`;
  if (manifest.name !== name) findings.push(`${folder}: is called ${manifest.name}, should be ${name}`);
  if (manifest.type !== 'module') findings.push(`${folder}: "type" must be "module"`);
  if (manifest.license !== 'Apache-2.0') findings.push(`${folder}: "license" must be "Apache-2.0"`);
  if (manifest.exports === undefined) findings.push(`${folder}: without "exports" every file is a door`);
  return findings;
}

/** Files that a package.json exports and that do not exist. */
export function exportFindings({ folder, manifest }: Room, exists: (path: string) => boolean): readonly Finding[] {
  return exportTargets(manifest.exports)
    .filter((target) => !exists(`${folder}/${target.replace(/^\.\//, '')}`))
    .map((target) => `${folder}: "exports" names ${target}, which does not exist`);
}

/** All files in the value of `exports`, also those under conditions. */
function exportTargets(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(exportTargets) : [];
}

/** npm runs only the install scripts in `allowScripts`: it names every package with an install script, and no other. */
export function scriptFindings(lock: Lock, allowed: Readonly<Record<string, boolean>>): readonly Finding[] {
  const scripted = new Set(
    Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  const undecided = [...scripted].filter((name) => !(name in allowed));
  const stale = Object.keys(allowed).filter((name) => allowed[name] === true && !scripted.has(name));
  return [
    ...undecided.map((name) => `${name} has an install script, and allowScripts does not say whether it may run`),
    ...stale.map((name) => `allowScripts names ${name}, which has no install script`),
  ];
}

/** Licences that only require attribution, without copyleft. */
const freeLicences: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'BlueOak-1.0.0',
  'OFL-1.1',
]);

/** Every runtime package is locked by hash and may be redistributed. */
export function lockedFindings(lock: Lock): readonly Finding[] {
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true)
    .flatMap(([path, { integrity = '', license = 'none' }]) => [
      ...(integrity.startsWith('sha512-') ? [] : [`${path}: the lock file has no SHA-512 of it`]),
      ...(freeLicences.has(license) ? [] : [`${path}: its licence is ${license}; see freeLicences`]),
    ]);
}

/** A decision record names every library that the running service loads. */
export function undecidedLibraries(server: Room, decisions: string): readonly Finding[] {
  const { dependencies: direct = {}, optionalDependencies: optional = {} } = server.manifest;
  return [...Object.keys(direct), ...Object.keys(optional)]
    .filter((name) => !name.startsWith('@ringfence/'))
    .filter((name) => !decisions.includes(`\`${name}\``))
    .map((name) => `${server.folder}: no record under docs/decisions names \`${name}\``);
}

/** Dependencies that no file of the workspace imports. `used` are the names of the imported packages. */
export function unusedFindings(room: Room, used: ReadonlySet<string>): readonly Finding[] {
  return Object.keys(room.manifest.dependencies ?? {})
    .filter((name) => !used.has(name))
    .map((name) => `${room.folder}: ${name} is declared and never imported`);
}

function dependencies(manifest: Room['manifest']): readonly (readonly [string, string])[] {
  return [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.optionalDependencies,
    manifest.peerDependencies,
  ].flatMap((listed) => Object.entries(listed ?? {}));
}
