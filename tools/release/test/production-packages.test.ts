import { describe, expect, it } from 'vitest';
import type { Lock, LockedPackage } from '../../lock/missing-platforms.ts';
import { productionPackages } from '../production-packages.ts';

const packageOf = (version: string, more: LockedPackage = {}): LockedPackage => ({ version, license: 'MIT', ...more });

function foldersOf(lock: Lock['packages'], installed: readonly string[] = Object.keys(lock)): readonly string[] {
  return productionPackages({ packages: lock }, 'apps/server', (folder) => installed.includes(folder)).map(
    ({ folder }) => folder,
  );
}

describe('the packages of a workspace', () => {
  it('are those that it needs, and those that these need, also through another workspace', () => {
    const lock = {
      'apps/server': { dependencies: { '@ringfence/log': '1.0.0', b: '1.0.0' }, devDependencies: { e: '1.0.0' } },
      'packages/log': { dependencies: { a: '1.0.0' } },
      'node_modules/@ringfence/log': { link: true, resolved: 'packages/log' },
      'node_modules/a': packageOf('1.0.0', { dependencies: { c: '1.0.0' } }),
      'node_modules/b': packageOf('1.0.0'),
      'node_modules/c': packageOf('1.0.0', { dependencies: { a: '1.0.0' } }),
      'node_modules/d': packageOf('1.0.0'),
      'node_modules/e': packageOf('1.0.0'),
    };
    expect(foldersOf(lock)).toEqual(['node_modules/a', 'node_modules/b', 'node_modules/c']);
  });

  it('are those that Node finds: the nearest above', () => {
    const lock = {
      'apps/server': { dependencies: { a: '1.0.0' } },
      'node_modules/a': packageOf('1.0.0', { dependencies: { '@x/b': '2.0.0' } }),
      'node_modules/a/node_modules/@x/b': packageOf('2.0.0', { dependencies: { c: '2.0.0' } }),
      'node_modules/a/node_modules/c': packageOf('2.0.0'),
      'node_modules/@x/b': packageOf('1.0.0'),
      'node_modules/c': packageOf('1.0.0'),
    };
    expect(foldersOf(lock)).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/@x/b',
      'node_modules/a/node_modules/c',
    ]);
  });

  it('leave out optional ones that are not installed, and optional peers', () => {
    const lock = {
      'apps/server': { dependencies: { a: '1.0.0' }, optionalDependencies: { linux: '1.0.0', darwin: '1.0.0' } },
      'node_modules/a': packageOf('1.0.0', {
        peerDependencies: { peer: '1.0.0', types: '1.0.0' },
        peerDependenciesMeta: { types: { optional: true } },
      }),
      'node_modules/darwin': packageOf('1.0.0'),
      'node_modules/linux': packageOf('1.0.0'),
      'node_modules/peer': packageOf('1.0.0'),
      'node_modules/types': packageOf('1.0.0'),
    };
    const installed = ['node_modules/a', 'node_modules/linux', 'node_modules/peer', 'node_modules/types'];
    expect(foldersOf(lock, installed)).toEqual(['node_modules/a', 'node_modules/linux', 'node_modules/peer']);
  });

  it('are refused if the lock file lacks one', () => {
    expect(() => foldersOf({ 'apps/server': { dependencies: { a: '1.0.0' } } })).toThrow('apps/server lacks a');
  });
});
