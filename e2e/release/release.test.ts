/**
 * A release can be verified, and its bundle runs where there is nothing: unpacked into an empty folder, by a user without
 * rights, without a network, it starts with its own Node and PostgreSQL and decides an event.
 */
import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryHome, type TemporaryHome } from '../harness/temporary-home.ts';
import type { Report } from './first-event.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
/** The user "nobody": without rights, on every Linux. */
const nobody = '65534';
const isRoot = process.getuid?.() === 0;

let place: TemporaryHome;
let release: string;
let name: string;

beforeAll(async () => {
  place = await temporaryHome('release');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const keyFile = join(place.path, 'release.pem');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(place.path, 'release.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  release = join(place.path, 'first');
  await build(release, '--signing-key', keyFile);
  name =
    readdirSync(release)
      .find((file) => file.endsWith('.tar.gz'))
      ?.slice(0, -'.tar.gz'.length) ?? '';
});
afterAll(() => place.remove());

function build(into: string, ...options: readonly string[]): Promise<unknown> {
  return run('npm', ['run', '-s', 'release', '--', '--uncommitted', '--into', into, ...options], { cwd: root });
}

describe('a release', () => {
  it('has a bundle, the npm packages, and what describes them', () => {
    const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string })
      .version;
    expect(readdirSync(release).toSorted()).toEqual([
      'SHA256SUMS',
      'SHA256SUMS.sig',
      `${name}.cdx.json`,
      `${name}.licences.txt`,
      `${name}.tar.gz`,
      `ringfence-client-${version}.tgz`,
      `ringfence-device-${version}.tgz`,
    ]);
  });

  it('is verified by the commands of the guide', async () => {
    const key = join(place.path, 'release.pub');
    const options = [
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      key,
      '-rawin',
      '-in',
      'SHA256SUMS',
      '-sigfile',
      'SHA256SUMS.sig',
    ];
    const { stdout } = await run('openssl', options, { cwd: release });
    expect(stdout).toContain('Signature Verified Successfully');
    const sums = await run('sha256sum', ['--check', '--ignore-missing', 'SHA256SUMS'], { cwd: release });
    expect(sums.stdout.match(/: OK$/gm)).toHaveLength(5);
  });

  it.concurrent('has the same bytes when it is built again', async () => {
    const second = join(place.path, 'second');
    await build(second);
    const sums = (folder: string): string => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
    expect(sums(second)).toBe(sums(release));
  });

  it.concurrent('starts in an empty folder, without root and without a network, and decides an event', async ({
    skip,
  }) => {
    if (spawnSync('unshare', namespace(['true'])).status !== 0) skip('this machine gives no network namespaces');
    const unpacked = join(place.path, 'unpacked');
    mkdirSync(unpacked, { mode: 0o755 });
    await run('tar', ['-xzf', join(release, `${name}.tar.gz`), '-C', unpacked]);
    cpSync(join(root, 'e2e'), join(place.path, 'player'), {
      recursive: true,
      filter: (path) => !/\/test(?:\/|$)/.test(path),
    });
    await run('chmod', ['-R', 'a+rX', join(place.path, 'player')]);
    const empty = join(place.path, 'empty');
    mkdirSync(empty, { mode: 0o777 });
    if (isRoot) await run('chown', [nobody, empty]);
    const bundle = join(unpacked, name);
    const player = [join(bundle, 'node_modules/.bin/node'), join(place.path, 'player/release/first-event.ts'), bundle];
    const { stdout } = await run('unshare', namespace(player), { cwd: empty });
    const report = JSON.parse(stdout) as Report;

    expect(report.uid).toBe(isRoot ? Number(nobody) : process.getuid?.());
    expect(report.interfaces).toEqual(['lo']);
    expect([report.login, report.operation, report.console, report.exitCode]).toEqual([200, 200, 200, 0]);
    expect(report.decision).toMatchObject({ status: 'decided', session: { matched: true } });
    const foreign = report.programs.filter((program) => !program.startsWith(`${bundle}/`));
    expect(foreign.every((program) => /^\/(?:usr\/)?bin\//.test(program))).toBe(true); // the shell that watches PostgreSQL
    expect(report.programs.map((program) => basename(program))).toEqual(expect.arrayContaining(['node', 'postgres']));
    expect(unlisted(report.libraries, bundle)).toEqual([]);
    expect(report.libraries.map((library) => basename(library))).toContain('libcrypto.so.1.1');
  });
});

/** Code that runs from the bundle and that its bill of materials does not name. */
function unlisted(libraries: readonly string[], bundle: string): readonly string[] {
  const bill = readFileSync(join(bundle, 'sbom.cdx.json'), 'utf8');
  const named = new Set(
    Array.from(bill.matchAll(/"type": "file",\s*"bom-ref": "[^"]+",\s*"name": "([^"]+)"/g), ([, file]) => file),
  );
  return libraries.filter((library) => library.startsWith(bundle) && !named.has(basename(library)));
}

/** Arguments of `unshare`: the command runs without rights, and sees no network but its own loopback. */
function namespace(command: readonly string[]): string[] {
  const user = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : ['--ambient-caps=-all'];
  const inside = ['setpriv', ...user, '--no-new-privs', 'env', '-i', 'PATH=/usr/bin:/bin', ...command];
  const own = isRoot ? [] : ['--user', '--map-current-user', '--keep-caps'];
  return [...own, '--net', 'sh', '-c', 'PATH=$PATH:/usr/sbin:/sbin ip link set lo up && exec "$@"', 'sh', ...inside];
}
