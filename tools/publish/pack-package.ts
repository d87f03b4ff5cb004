import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface Packing {
  /** The package's folder; `publish/tsconfig.json` in it compiles what is published into `dist`. */
  readonly room: string;
  /** Where the tarball goes; made when it is missing. */
  readonly target: string;
  /** Members of the published package.json beside name, version, description, licence and type. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Compiles a package into its `dist`, puts package.json, README and licence beside it, and packs it.
 *
 * @returns the path of the tarball
 */
export function packPackage({ room, target, manifest }: Packing): string {
  const dist = join(room, 'dist');
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(room, 'publish/tsconfig.json')], { stdio: 'inherit' });
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(room, 'package.json'), 'utf8'),
  ) as Record<'name' | 'version' | 'description' | 'license', string>;
  const published = { name, version, description, license, type: 'module', ...manifest };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  cpSync(join(room, 'README.md'), join(dist, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));
  mkdirSync(target, { recursive: true });
  const options = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
  return join(target, execFileSync('npm', options, { cwd: dist }).toString().trim());
}
