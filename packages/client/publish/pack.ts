/**
 * Builds the package that banks install: `dist/` with JavaScript and declarations for Node 22, its package.json, and
 * the README. Within this repository the package is its TypeScript source, which Node does not run from a node_modules
 * folder.
 *
 *     node publish/pack.ts [folder]     packs a tarball into the folder (default: dist) and prints its path
 */
import { resolve } from 'node:path';
import { packPackage } from '../../../tools/publish/pack-package.ts';

await packPackage(resolve(import.meta.dirname, '..'), () => ({
  engines: { node: '>=22' },
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
}));
