/** The content of the package.json files. Each rule is shown a violation. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completed, type Lock, missingPlatforms } from '../lock/missing-platforms.ts';
import { importsOf } from './imports.ts';
import { type Room, roomOf, rooms } from './rooms.ts';
import {
  exportFindings,
  lockedFindings,
  roomFindings,
  scriptFindings,
  undecidedLibraries,
  unusedFindings,
  versionFindings,
} from './rules/manifests.ts';
import { paths, root, sourceFiles } from './source-file.ts';

const all = rooms();
const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as Lock;
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

/** Names of the packages that the files of each workspace import. Every file is parsed once, for all workspaces. */
function importedByRoom(): ReadonlyMap<Room, ReadonlySet<string>> {
  const used = new Map(all.map((room) => [room, new Set<string>()]));
  for (const file of sourceFiles()) {
    for (const { specifier } of importsOf(file)) {
      used.get(roomOf(file.path, all))?.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return used;
}

describe('every package.json', () => {
  it('pins exact versions, the same in all workspaces', () => {
    expect(versionFindings(all)).toEqual([]);
  });

  it('has the name of its folder, the licence and its exports', () => {
    expect(all.flatMap(roomFindings)).toEqual([]);
  });

  it('exports only files that exist', () => {
    expect(all.flatMap((room) => exportFindings(room, (path) => existsSync(`${root}/${path}`)))).toEqual([]);
  });

  it('declares no dependency that its code does not import', () => {
    const used = importedByRoom();
    expect(all.flatMap((room) => unusedFindings(room, used.get(room) ?? new Set()))).toEqual([]);
  });

  it('of the root decides about every install script', () => {
    const scripts = all.find(({ folder }) => folder === '')?.manifest.allowScripts ?? {};
    expect(scriptFindings(lock, scripts)).toEqual([]);
  });

  it('has a lock file that npm ci accepts: with the packages of all platforms (tools/lock/complete-lock.ts)', () => {
    expect(Object.keys(missingPlatforms(lock))).toEqual([]);
  });

  it('depends on packages that are locked by hash, under licences that allow redistribution', () => {
    expect(lockedFindings(lock)).toEqual([]);
  });

  it('of the server names only libraries that a decision record names', () => {
    const server = all.find(({ folder }) => folder === 'apps/server');
    expect(server).toBeDefined();
    const decisions = paths(['docs/decisions/*.md']).map(read).join('\n');
    expect(server === undefined ? [] : undecidedLibraries(server, decisions)).toEqual([]);
  });
});

describe('a violation is found', () => {
  const room = (dependencies: Record<string, string>): Room => ({
    folder: 'packages/log',
    manifest: { name: '@ringfence/log', type: 'module', license: 'Apache-2.0', exports: {}, dependencies },
  });

  it('a range of versions', () => {
    expect(versionFindings([room({ pg: '^8.0.0' })])).toHaveLength(1);
  });

  it('two versions of one library', () => {
    expect(versionFindings([room({ pg: '8.0.0' }), room({ pg: '8.0.1' })])).toHaveLength(1);
  });

  it('a workspace without exports, under another name', () => {
    expect(roomFindings({ folder: 'packages/log', manifest: { name: 'log' } })).toHaveLength(4);
  });

  it('an export of a file that does not exist, also under a condition', () => {
    const exporting = (exports: Record<string, unknown>): Room => ({
      folder: 'packages/log',
      manifest: { name: '@ringfence/log', exports },
    });
    const exists = (path: string): boolean => path === 'packages/log/src/index.ts';
    expect(exportFindings(exporting({ '.': './src/index.ts' }), exists)).toEqual([]);
    expect(exportFindings(exporting({ '.': './src/gone.ts' }), exists)).toHaveLength(1);
    expect(exportFindings(exporting({ '.': { import: './src/gone.ts' } }), exists)).toHaveLength(1);
  });

  it('a dependency that no file imports', () => {
    expect(unusedFindings(room({ pg: '8.0.0' }), new Set(['undici']))).toHaveLength(1);
  });

  it('an undecided install script, and a decision without a script', () => {
    const scripted = { packages: { 'node_modules/a/node_modules/sharp': { hasInstallScript: true } } };
    expect(scriptFindings(scripted, { node: true })).toHaveLength(2);
    expect(scriptFindings(scripted, { sharp: false })).toEqual([]);
  });

  it('a runtime package without a hash, under a copyleft licence', () => {
    const locked = (more: object): Lock => ({
      packages: { 'packages/log/node_modules/a': { version: '1.0.0', ...more } },
    });
    expect(lockedFindings(locked({ license: 'AGPL-3.0' }))).toHaveLength(2);
    expect(lockedFindings(locked({ license: 'AGPL-3.0', dev: true }))).toEqual([]);
    expect(lockedFindings(locked({ license: 'MIT', integrity: 'sha512-x' }))).toEqual([]);
  });

  it('a platform that is missing from the lock file, which can be completed', () => {
    const short = { packages: { 'node_modules/a': { optionalDependencies: { 'a-linux-arm64-musl': '1.0.0' } } } };
    expect(Object.keys(missingPlatforms(short))).toEqual(['node_modules/a-linux-arm64-musl']);
    expect(completed(short).packages['node_modules/a-linux-arm64-musl']).toEqual({
      version: '1.0.0',
      optional: true,
      os: ['linux'],
      cpu: ['arm64'],
      libc: ['musl'],
    });
    expect(missingPlatforms(completed(short))).toEqual({});
  });

  it('a library that no decision record names', () => {
    expect(undecidedLibraries(room({ pg: '8.0.0' }), 'We take `kysely`.')).toHaveLength(1);
    expect(undecidedLibraries(room({ pg: '8.0.0' }), 'We take `pg`.')).toEqual([]);
  });
});
