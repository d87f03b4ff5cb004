/**
 * Makes what a bank installs: `dist/` with JavaScript and declarations for Node 24, the package.json that belongs to
 * it, and the README. Within this repository the package is its TypeScript source; Node does not run that from
 * a node_modules folder.
 *
 *     node publish/pack.ts [folder]     packs a tarball into the folder (default: dist) and prints its path
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const room = resolve(import.meta.dirname, '..');
const root = resolve(room, '../..');
const dist = join(room, 'dist');
const target = resolve(process.argv[2] ?? dist);

rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(room, 'publish/tsconfig.json')], { stdio: 'inherit' });

const { name, version, description, license } = JSON.parse(readFileSync(join(room, 'package.json'), 'utf8')) as Record<
  'name' | 'version' | 'description' | 'license',
  string
>;
const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  engines: { node: '>=24' },
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
cpSync(join(room, 'README.md'), join(dist, 'README.md'));

mkdirSync(target, { recursive: true });
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target], {
  cwd: dist,
});
process.stdout.write(`${join(target, packed.toString().trim())}\n`);
