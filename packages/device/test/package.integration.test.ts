/** The package of a bank: packed, installed in an empty project without a network, type-checked and loaded. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const room = resolve(import.meta.dirname, '..');
/** The most that a bank's page should have to load. */
const bytesMax = 12 * 1_024;

let folder: string;
let installed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-device-package-'));
  installed = join(folder, 'node_modules/@ringfence/device');
  const packed = await run('node', [join(room, 'publish/pack.ts'), folder]);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed.stdout.trim()], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('installs without other packages, with the exports of the README', async () => {
  const packages = await readdir(join(folder, 'node_modules'));
  expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['@ringfence']);
  expect((await readdir(installed)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'index.js',
    'integrity.json',
    'package.json',
    'ringfence-device-worker.js',
    'ringfence-device.js',
    'types',
  ]);
});

it.each(['ringfence-device.js', 'index.js'])(`%s is at most ${bytesMax} bytes on the wire`, async (file) => {
  const bytes = gzipSync(await readFile(join(installed, file)), { level: 9 }).length;
  expect(bytes).toBeGreaterThan(5_000); // an empty bundle is small as well
  expect(bytes).toBeLessThanOrEqual(bytesMax);
});

it('has the hash of every bundle', async () => {
  const integrity = JSON.parse(await readFile(join(installed, 'integrity.json'), 'utf8')) as Record<string, string>;
  expect(Object.keys(integrity)).toEqual(['index.js', 'ringfence-device.js', 'ringfence-device-worker.js']);
  for (const [file, hash] of Object.entries(integrity)) {
    const digest = createHash('sha384').update(await readFile(join(installed, file)));
    expect(hash).toBe(`sha384-${digest.digest('base64')}`);
  }
});

/** Strict policies of banks forbid these; what is not in the bundle can't violate them. */
it('contains nothing that runs text as code or sends a request', async () => {
  const bundle = await readFile(join(installed, 'ringfence-device.js'), 'utf8');
  const forbidden =
    /\beval\(|\bnew Function|\bimport\(|innerHTML|outerHTML|insertAdjacent|document\.write|\bfetch\(|new XMLHttpRequest|sendBeacon|new WebSocket|new EventSource|new Image|new Worker|RTCPeerConnection\(|\.src\s*=|setAttribute\(`(?:style|on)/;
  expect(forbidden.exec(bundle)).toBeNull();
  expect(bundle).not.toContain('sourceMappingURL');
});

it('type-checks where it is used', async () => {
  const use = `
    import { collect, type CollectOptions, fillField, forget, type SignalName } from '@ringfence/device';
    const options: CollectOptions = { keys: fetch('/keys.json').then((r) => r.json()), channelId: 2, profile: 'full', signals: { fonts: false } };
    const token: string = await collect(options);
    const stop: () => void = fillField(document.createElement('input'), options);
    const name: SignalName = 'canvas';
    const gone: boolean = await forget();
    export { gone, name, stop, token };
    // @ts-expect-error: no such signal
    void collect({ ...options, signals: { nosuch: true } });
  `;
  await writeFile(join(folder, 'page.ts'), use);
  const flags = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom',
    '--types',
    '',
  ];
  const checked = await run(resolve(room, '../../node_modules/.bin/tsc'), [...flags, 'page.ts'], { cwd: folder });
  expect(checked.stdout).toBe('');
});

/**
 * A page that is rendered on a server imports the SDK there too: it must load, and behave as in a browser without
 * support.
 */
it('loads on a server, and returns an empty token and a warning there', async () => {
  await writeFile(
    join(folder, 'server.js'),
    `
    import { collect, forget } from '@ringfence/device';
    console.log(JSON.stringify([await collect({ keys: { keys: [] }, channelId: 2 }), await forget()]));
  `,
  );
  const { stdout, stderr } = await run('node', ['server.js'], { cwd: folder });
  expect(stdout.trim()).toBe('["",false]');
  expect(stderr).toMatch(/^ringfence: Error: keys: none/);
});
