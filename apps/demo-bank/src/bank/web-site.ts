/**
 * Web page of the bank: a form that the device SDK fills, and a server that forwards the token.
 *
 *     GET / (script, keys) ── POST /login, with `data` ──▶ bank.logIn ── same text ──▶ Ringfence
 *                               └─ session cookie ─▶ GET /account: open, or closed by a webhook
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildBundles } from '@ringfence/device/bundles';
import type { Bank } from './bank.ts';

/** The web channel of this bank. */
const channelId = 2;
/** Limit of a form with a token of at most 48 KiB. */
const formBytesMax = 64 * 1_024;
const scriptName = 'ringfence-device.js';
const cookieName = 'session';

export interface WebSiteOptions {
  readonly bank: Bank;
  /** JWK set of the workspace. */
  readonly deviceKeys: string;
  /** Path of the SDK bundle. */
  readonly folder: string;
}

export interface WebSite {
  readonly url: string;
  close(): Promise<void>;
}

export async function openWebSite({ bank, deviceKeys, folder }: WebSiteOptions): Promise<WebSite> {
  const sdk = join(folder, 'device-sdk');
  const integrity = (await buildBundles(sdk))[scriptName]!;
  const files: Readonly<Record<string, File>> = {
    '/': { type: 'text/html', body: loginPage(integrity) },
    [`/${scriptName}`]: { type: 'text/javascript', body: await readFile(join(sdk, scriptName), 'utf8') },
    '/login.js': { type: 'text/javascript', body: loginScript(deviceKeys) },
  };
  const server = createServer((request, response) => {
    response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; form-action 'self'");
    answer(request, response, { bank, files }).catch(() => response.writeHead(400).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface File {
  readonly type: string;
  readonly body: string;
}

function loginPage(integrity: string): string {
  return page(`<script src="/${scriptName}" integrity="${integrity}" crossorigin="anonymous"></script>
<form method="post" action="/login">
  <label>User <input name="user" required maxlength="64"></label>
  <input type="hidden" name="data">
  <button>Log in</button>
</form>
<script src="/login.js"></script>`);
}

/** Same code as in docs/guides/device.md. */
function loginScript(deviceKeys: string): string {
  return `if (typeof ringfence === 'object') {
  ringfence.fillField(document.querySelector('[name=data]'), { keys: ${deviceKeys}, channelId: ${channelId}, profile: 'full' });
}
`;
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A small bank</title>${content}</html>`;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { bank, files }: { readonly bank: Bank; readonly files: Readonly<Record<string, File>> },
): Promise<void> {
  const path = request.url ?? '/';
  const file = files[path];
  if (request.method === 'POST' && path === '/login') {
    const session = await logIn(request, bank);
    response.setHeader('set-cookie', `${cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`);
    response.writeHead(303, { location: '/account' }).end();
  } else if (path === '/account') {
    const isOpen = bank.isOpen(sessionOf(request));
    const text = isOpen ? 'You are logged in.' : 'You are not logged in. <a href="/">Log in</a>';
    response.setHeader('content-type', 'text/html').end(page(`<p id="state">${text}</p>`));
  } else if (file === undefined) response.writeHead(404).end();
  else response.setHeader('content-type', `${file.type}; charset=utf-8`).end(file.body);
}

/** @returns the new session */
async function logIn(request: IncomingMessage, bank: Bank): Promise<string> {
  const form = new URLSearchParams(await bodyOf(request));
  const session = randomUUID();
  bank.logIn({
    user: form.get('user') ?? '',
    session,
    channelId,
    ip: request.socket.remoteAddress ?? '',
    // Unchanged, and "" if the page sent none: its absence is a signal too.
    device: form.get('data') ?? '',
  });
  return session;
}

function sessionOf(request: IncomingMessage): string {
  return new RegExp(`(?:^|; )${cookieName}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1] ?? '';
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > formBytesMax) throw new Error('the form is too large');
  }
  return Buffer.concat(chunks).toString();
}
