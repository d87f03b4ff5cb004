import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Members of a published package.json beside name, version, description, licence and type. */
export type PublishedMembers = Readonly<Record<string, unknown>>;

/**
 * The program that packs a package: empties its `dist`, writes the published files there with package.json, README and
 * licence, and prints the path of the tarball. It is written to the folder on the command line, or to `dist`.
 *
 * @param room the package's folder; `publish/tsconfig.json` in it compiles the published files
 * @param build writes to `dist` what the compiler does not make, and returns the members of package.json
 */
export async function packPackage(
  room: string,
  build: (dist: string) => PublishedMembers | Promise<PublishedMembers>,
): Promise<void> {
  const dist = join(room, 'dist');
  const target = resolve(process.argv[2] ?? dist);
  rmSync(dist, { recursive: true, force: true });
  const members = await build(dist);
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(room, 'publish/tsconfig.json')], { stdio: 'inherit' });
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(room, 'package.json'), 'utf8'),
  ) as Record<'name' | 'version' | 'description' | 'license', string>;
  const published = { name, version, description, license, type: 'module', ...members };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  cpSync(join(room, 'README.md'), join(dist, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));
  mkdirSync(target, { recursive: true });
  const options = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
  process.stdout.write(`${join(target, execFileSync('npm', options, { cwd: dist }).toString().trim())}\n`);
}
