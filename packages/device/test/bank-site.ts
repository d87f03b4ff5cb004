import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Integrity } from '../publish/build.ts';

/** The strictest policy of a bank: own scripts only, no inline code, no frames, Trusted Types without any policy. */
export const strictPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  'report-uri /csp-report',
].join('; ');

/** A page of the bank by its path. */
export interface BankPage {
  readonly body: string;
  /** Replaces the strict policy. */
  readonly policy?: string;
}

/** One received request: `GET http://127.0.0.1:1234/login`. */
export type SeenRequest = string;

/**
 * A bank's web site that also stands in for the whole internet: it is the browser's proxy, so it sees every request to
 * any host, and forwards none.
 */
export interface BankSite {
  /** In a browser that uses the proxy, any host is this site: `http://127.0.0.1:<port>` is a secure context. */
  readonly origin: string;
  readonly proxy: { readonly server: string; readonly bypass: string };
  /** In order. Includes CSP reports. */
  readonly requests: SeenRequest[];
  readonly close: () => void;
}

/** @param dist folder with the bundles; `integrity` their hashes, which every page of the site requires */
export interface BankSitePlan {
  readonly dist: string;
  readonly integrity: Integrity;
  readonly pages: Readonly<Record<string, BankPage>>;
  /** Further scripts by their path. */
  readonly scripts?: Readonly<Record<string, string>>;
}

export async function openBankSite(plan: BankSitePlan): Promise<BankSite> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    // To a proxy, the first line contains the whole URL; Chromium requests icons on its own.
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`);
    if (url.pathname !== '/favicon.ico') requests.push(`${request.method} ${url.href}`);
    request.resume().on('end', () => answer(plan, url.pathname, response));
  });
  server.on('connect', (request: IncomingMessage, socket) => {
    requests.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    proxy: { server: origin, bypass: '<-loopback>' },
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(plan: BankSitePlan, path: string, response: ServerResponse): void {
  const file = path.slice(1);
  const page = plan.pages[path];
  const script =
    plan.scripts?.[path] ?? (file in plan.integrity ? readFileSync(join(plan.dist, file), 'utf8') : undefined);
  if (page !== undefined) {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', page.policy ?? strictPolicy);
    response.end(page.body);
  } else if (script !== undefined) {
    response.setHeader('content-type', 'text/javascript');
    response.setHeader('access-control-allow-origin', '*');
    response.end(script);
  } else {
    response.statusCode = 404;
    response.end();
  }
}
