/**
 * Makes what a bank installs: the bundles with their SRI hashes, declarations, the package.json that belongs to them,
 * and the README. Within this repository the package is its TypeScript source.
 *
 *     node publish/pack.ts [folder]     packs a tarball into the folder (default: dist) and prints its path
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildBundles } from './build.ts';

const room = resolve(import.meta.dirname, '..');
const root = resolve(room, '../..');
const dist = join(room, 'dist');
const target = resolve(process.argv[2] ?? dist);

rmSync(dist, { recursive: true, force: true });
const integrity = await buildBundles(dist);
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
  sideEffects: false,
  exports: {
    '.': { types: './types/index.d.ts', default: './index.js' },
    './worker': './ringfence-device-worker.js',
    ...Object.fromEntries([...Object.keys(integrity), 'integrity.json'].map((file) => [`./${file}`, `./${file}`])),
  },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
cpSync(join(room, 'README.md'), join(dist, 'README.md'));
cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));

mkdirSync(target, { recursive: true });
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target], {
  cwd: dist,
});
process.stdout.write(`${join(target, packed.toString().trim())}\n`);
