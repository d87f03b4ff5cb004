/**
 * The package as a bank installs it: packed, installed into an empty project without a network, run from plain
 * JavaScript.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const room = resolve(import.meta.dirname, '..');

const script = `
import { createRingfence, hashClient } from '@ringfence/client';
const ringfence = createRingfence({ baseUrl: process.argv[2], licenseKey: 'key-of-a-test', environment: 'production' });
ringfence.login({ channelId: 1, user: 'ana', publicIp: '203.0.113.7', data: '' });
console.log(await ringfence.close(), hashClient('ana', Buffer.from('pepper')).length);
`;

it('installs without dependencies and runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-client-'));
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    request.resume().on('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const packed = await run('node', [join(room, 'publish/pack.ts'), folder]);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed.stdout.trim()], { cwd: folder });
    await writeFile(join(folder, 'bank.js'), script);
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { stdout } = await run('node', ['bank.js', base], { cwd: folder });

    expect(stdout.trim()).toBe('true 64');
    expect(paths).toEqual(['/api/v5/analytics/app/login']);
    expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      '@ringfence',
    ]);
    const installed = await readdir(join(folder, 'node_modules/@ringfence/client'));
    expect(installed).toEqual(expect.arrayContaining(['README.md', 'index.d.ts', 'index.js', 'package.json']));
    expect(installed.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
