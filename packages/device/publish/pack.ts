/**
 * Packs the package that a bank installs: the bundles with their SRI hashes, declarations, a matching package.json, and
 * the README. Within this repository the package is its TypeScript source.
 *
 *     node publish/pack.ts [folder]     packs a tarball into the folder (default: dist) and prints its path
 */
import { resolve } from 'node:path';
import { packPackage } from '../../../tools/publish/pack-package.ts';
import { buildBundles } from './build.ts';

await packPackage(resolve(import.meta.dirname, '..'), async (dist) => {
  const integrity = await buildBundles(dist);
  return {
    sideEffects: false,
    exports: {
      '.': { types: './types/index.d.ts', default: './index.js' },
      './worker': './ringfence-device-worker.js',
      ...Object.fromEntries([...Object.keys(integrity), 'integrity.json'].map((file) => [`./${file}`, `./${file}`])),
    },
  };
});
