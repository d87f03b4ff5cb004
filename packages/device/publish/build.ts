import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type InlineConfig } from 'vite';

const room = resolve(import.meta.dirname, '..');

/** One of the files that a bank gets. */
interface Bundle {
  readonly file: string;
  readonly entry: string;
  readonly format: 'es' | 'iife';
}

/** Those of 2020 and later; what they lack at run time is an absent signal. */
const browsers = ['chrome87', 'edge87', 'firefox78', 'safari14'];

const bundles: readonly Bundle[] = [
  { file: 'index.js', entry: 'src/index.ts', format: 'es' },
  { file: 'ringfence-device.js', entry: 'src/global.ts', format: 'iife' },
  { file: 'ringfence-device-worker.js', entry: 'src/worker.ts', format: 'iife' },
];

/** SRI hashes by file: what `integrity` says in a script element. */
export type Integrity = Readonly<Record<string, string>>;

/** Writes the bundles and `integrity.json` into the folder, which need not exist. The same source gives the same bytes. */
export async function buildBundles(folder: string): Promise<Integrity> {
  for (const bundle of bundles) await build(configOf(bundle, folder));
  const integrity = Object.fromEntries(
    bundles.map(({ file }) => {
      const digest = createHash('sha384')
        .update(readFileSync(join(folder, file)))
        .digest('base64');
      return [file, `sha384-${digest}`];
    }),
  );
  writeFileSync(join(folder, 'integrity.json'), `${JSON.stringify(integrity, undefined, 2)}\n`);
  return integrity;
}

function configOf({ file, entry, format }: Bundle, outDir: string): InlineConfig {
  return {
    root: room,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      target: browsers,
      // Of a module Vite itself leaves the white space in, for bundlers that look for its remarks. It has none.
      minify: false,
      rolldownOptions: { output: { minify: { compress: { target: browsers }, mangle: true, codegen: true } } },
      lib: { entry: join(room, entry), formats: [format], name: 'ringfence', fileName: () => file },
    },
  };
}
