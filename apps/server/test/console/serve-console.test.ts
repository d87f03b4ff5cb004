import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlugin } from '../../src/console/serve-console.ts';

const index = '<!doctype html><title>Console</title><script type="module" src="/console/assets/app-1a2b.js"></script>';
const script = `console.log('${'hello '.repeat(200)}');`;
let folder: string;
let app: FastifyInstance;

async function serve(path: string): Promise<FastifyInstance> {
  const made = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await made.register(consolePlugin(path));
  return made;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), index);
  writeFileSync(join(folder, 'assets/app-1a2b.js'), script);
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, '.env'), 'secret');
  app = await serve(folder);
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const get = async (url: string, encoding = '') =>
  app.inject({ method: 'GET', url, headers: { 'accept-encoding': encoding } });

describe('the console', () => {
  it.each(['/console', '/console/', '/console/index.html', '/console/w/abc/events/evt_1_2', '/console/a.b/c'])(
    'answers %s with its index, which is never cached',
    async (url) => {
      const response = await get(url);
      expect(response.statusCode).toBe(200);
      expect(response.body).toBe(index);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    },
  );

  it('is reached from the root', async () => {
    expect((await get('/')).headers.location).toBe('/console/');
  });

  it('has a content security policy that allows only its own files', async () => {
    const policy = String((await get('/console/')).headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('sends assets compressed, to be cached for ever', async () => {
    const response = await get('/console/assets/app-1a2b.js', 'gzip, deflate, br;q=1.0');
    expect(response.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    expect(brotliDecompressSync(response.rawPayload).toString()).toBe(script);
    expect(response.rawPayload.length).toBeLessThan(script.length / 5);
    expect(gunzipSync((await get('/console/assets/app-1a2b.js', 'gzip')).rawPayload).toString()).toBe(script);
    expect((await get('/console/assets/app-1a2b.js')).body).toBe(script);
  });

  it('reports an asset of another build as gone, instead of sending the index as a script', async () => {
    const response = await get('/console/assets/app-0000.js');
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ code: 'path.unknown' });
  });

  it.each(['/console/.env', '/console/%2e%2e/package.json', '/console/..%2fpackage.json', '/console/assets/../.env'])(
    'does not serve %s',
    async (url) => {
      expect((await get(url)).body).not.toContain('secret');
      expect((await get(url)).body).not.toContain('"name"');
    },
  );

  it('reads files again after a new build', async () => {
    const path = join(folder, 'favicon.svg');
    expect((await get('/console/favicon.svg')).headers['cache-control']).toBe('no-cache');
    writeFileSync(path, '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>');
    utimesSync(path, 1, 1);
    expect((await get('/console/favicon.svg')).body).toContain('<g/>');
  });

  it('explains how to build it when it was not built', async () => {
    const empty = await serve(join(folder, 'nothing'));
    const response = await empty.inject({ method: 'GET', url: '/console/' });
    expect(response.statusCode).toBe(503);
    expect(response.body).toContain('npm run -w apps/console build');
    await empty.close();
  });
});
