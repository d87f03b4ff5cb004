/**
 * Serves the built console under `/console/`:
 *
 *   /console/assets/NAME-HASH.js   cached for ever: other content has another name
 *   /console/favicon.svg …         revalidated each time
 *   everything else below          the index, so that every deep link opens the console
 *   not built                      a page that explains how to build it
 */
import { fileURLToPath } from 'node:url';
import { Problem } from '@ringfence/contract';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type ConsoleFile, ConsoleFiles, encodingFor } from './console-files.ts';

const builtConsole = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

const prefix = '/console/';

/** No inline content, nothing from other origins; style sheets may contain images. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  vary: 'accept-encoding',
};
const forEver = 'public, max-age=31536000, immutable';

export function consolePlugin(folder: string = builtConsole): FastifyPluginAsync {
  const files = new ConsoleFiles(folder);
  return async (app) => {
    app.get('/', (_request, reply) => reply.redirect(prefix, 302));
    app.get('/console', (request, reply) => index(files, request, reply));
    app.get(`${prefix}*`, async (request, reply) => {
      const name = (request.params as { readonly '*': string })['*'];
      const file = await files.find(name);
      const isAsset = name.startsWith('assets/');
      if (file !== undefined && name !== 'index.html') {
        return send(file, { request, reply, cache: isAsset ? forEver : 'no-cache' });
      }
      if (isAsset) throw new Problem('path.unknown', 'The console was updated: reload the page.');
      return index(files, request, reply);
    });
  };
}

async function index(files: ConsoleFiles, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const file = await files.find('index.html');
  if (file !== undefined) return send(file, { request, reply, cache: 'no-store' });
  return reply
    .code(503)
    .headers({ ...headers, 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' })
    .send(notBuilt);
}

function send(
  file: ConsoleFile,
  to: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly cache: string },
): FastifyReply {
  const { request, reply, cache } = to;
  const encoding = encodingFor(file, request.headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply
    .headers({ ...headers, 'cache-control': cache, 'content-type': file.type })
    .send(file.bodies[encoding] ?? file.bodies.identity);
}

const notBuilt = `<!doctype html>
<html lang="en">
<title>Ringfence: the console has not been built</title>
<h1>The console has not been built</h1>
<p>The service runs; only its console is missing. Build it with <code>npm run -w apps/console build</code>, then load this page again.</p>
<p>The management API is at <a href="/docs">/docs</a>.</p>
</html>
`;
