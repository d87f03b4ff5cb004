import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { packFolder } from './archive.ts';
import { billOfMaterials, type Release } from './bill-of-materials.ts';
import { checksumFile, readSigningKey, signatureFile, signChecksums, writeChecksums } from './checksums.ts';
import type { ReleaseOptions } from './command-line.ts';
import { type Contents, contentsOf } from './components.ts';
import { git } from './git.ts';
import { licenceList } from './licence-list.ts';
import { stageBundle } from './stage-bundle.ts';

const root = resolve(import.meta.dirname, '../..');
const bytesPerMib = 1024 * 1024;

/**
 * Builds the artefacts of a release of this checkout. If that fails, their folder is left empty.
 *
 * @param print takes a line for the person who runs it
 * @throws Error if the checkout has changes, another Node runs this than the one that is shipped, the folder is not
 *   empty, or the key does not sign
 */
export async function buildRelease(options: ReleaseOptions, print: (line: string) => void): Promise<void> {
  if (!options.uncommitted && git(root, 'status', '--porcelain') !== '') {
    throw new Error('The checkout has changes that are not committed. Commit them, or try with --uncommitted.');
  }
  const key = options.signingKey === undefined ? undefined : readSigningKey(options.signingKey);
  const contents = contentsOf(root);
  const shipped = join(root, contents.nodePackage, 'bin/node');
  if (realpathSync(process.execPath) !== realpathSync(shipped)) {
    throw new Error(`${process.execPath} runs this, and ${shipped} is shipped. Use "npm run release".`);
  }
  const release = readRelease();
  const folder = resolve(options.into ?? join(root, 'dist', `ringfence-${release.version}`));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty.`);
  try {
    await writeArtefacts(folder, release, contents);
    if (key !== undefined) signChecksums(folder, key);
  } catch (error) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    throw error;
  }
  for (const file of readdirSync(folder)) print(`${sizeOf(join(folder, file))}  ${file}`);
  print(`\nRelease ${release.version} of commit ${release.commit} is in ${folder}`);
  print(
    key === undefined
      ? `It is not signed: ${checksumFile} has no signature. Give --signing-key to sign it.`
      : `${checksumFile} is signed: ${signatureFile}`,
  );
}

/** All but the signature. */
async function writeArtefacts(folder: string, release: Release, contents: Contents): Promise<void> {
  const name = `ringfence-${release.version}-${release.machine}`;
  const bill = billOfMaterials(release, contents.components);
  const licences = licenceList(`Software and data of others in ${name}`, contents.components);
  const stage = mkdtempSync(join(folder, '.stage-'));
  const bundle = join(stage, name);
  mkdirSync(bundle);
  stageBundle(root, bundle, contents);
  buildConsole(join(bundle, 'apps/console'));
  writeFileSync(join(bundle, 'sbom.cdx.json'), bill);
  writeFileSync(join(bundle, 'licences.txt'), licences);
  await packFolder(bundle, join(folder, `${name}.tar.gz`), release.date);
  rmSync(stage, { recursive: true });
  writeFileSync(join(folder, `${name}.cdx.json`), bill);
  writeFileSync(join(folder, `${name}.licences.txt`), licences);
  packPackages(folder);
  await writeChecksums(folder);
}

function readRelease(): Release {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  return {
    version,
    machine: `${process.platform}-${process.arch}`,
    commit: git(root, 'rev-parse', 'HEAD'),
    date: new Date(git(root, 'log', '-1', '--format=%cI')).toISOString(),
  };
}

/** Builds into the bundle, so that a service that runs from this checkout keeps its pages. */
function buildConsole(room: string): void {
  const options = ['--outDir', join(room, 'dist'), '--emptyOutDir', '--logLevel', 'warn'];
  execFileSync('npm', ['run', '-s', 'build', '-w', '@ringfence/console', '--', ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Tests set another NODE_ENV: pages would be built for development, with their source paths.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  cpSync(join(root, 'apps/console/package.json'), join(room, 'package.json'));
}

/** Every workspace with a `publish/pack.ts` is published. */
function packPackages(folder: string): void {
  for (const program of globSync('packages/*/publish/pack.ts', { cwd: root }).toSorted()) {
    execFileSync(process.execPath, [join(root, program), folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

function sizeOf(file: string): string {
  return `${(statSync(file).size / bytesPerMib).toFixed(1).padStart(8)} MiB`;
}
