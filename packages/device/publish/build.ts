import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type InlineConfig } from 'vite';

const room = resolve(import.meta.dirname, '..');

/** One of the files that a bank installs. */
interface Bundle {
  readonly file: string;
  readonly entry: string;
  readonly format: 'es' | 'iife';
}

/** Browsers of 2020 and later; a feature that they lack at run time is an absent signal. */
const browsers = ['chrome87', 'edge87', 'firefox78', 'safari14'];

const bundles: readonly Bundle[] = [
  { file: 'index.js', entry: 'src/index.ts', format: 'es' },
  { file: 'ringfence-device.js', entry: 'src/global.ts', format: 'iife' },
  { file: 'ringfence-device-worker.js', entry: 'src/worker.ts', format: 'iife' },
];

/** SRI hashes by file: the value of `integrity` in a script element. */
export type Integrity = Readonly<Record<string, string>>;

/**
 * Writes the bundles and `integrity.json` into the folder, which is created if it does not exist. The same source gives
 * the same bytes.
 */
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
      // Vite does not remove the white space of modules, because bundlers look for its annotations there. This bundle
      // has none.
      minify: false,
      rolldownOptions: { output: { minify: { compress: { target: browsers }, mangle: true, codegen: true } } },
      lib: { entry: join(room, entry), formats: [format], name: 'ringfence', fileName: () => file },
    },
  };
}
