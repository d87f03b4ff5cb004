import type { FastifyInstance } from 'fastify';
import { serveReference } from '../platform/api-reference/serve-reference.ts';
import type { ClientAddresses } from '../platform/http/client-address.ts';
import { askedAtMark, docsPage } from './docs-page.ts';
import { openApiText } from './openapi.ts';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The API reference for integration developers: the OpenAPI document for tools, the page for people. */
export function referenceRoutes(app: FastifyInstance, senders: Pick<ClientAddresses, 'isProxy'>): void {
  const page = docsPage();
  serveReference(app, {
    document: openApiText(),
    page: ({ raw }) => page.replaceAll(askedAtMark, askedAt(raw, senders)),
  });
}

/** A host name or address with an optional port. Has no characters that are special in a shell or in HTML. */
const plainHost = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The scheme, host and port that a request was sent to. Uses the Host header if it is well formed, otherwise the local
 * address of the connection. `X-Forwarded-Proto: https` counts only from a proxy that the operator has configured.
 */
function askedAt({ headers, socket }: IncomingMessage, senders: Pick<ClientAddresses, 'isProxy'>): string {
  const isSecure =
    (socket as Partial<TLSSocket>).encrypted === true ||
    (senders.isProxy(socket.remoteAddress ?? '') && headers['x-forwarded-proto'] === 'https');
  const scheme = isSecure ? 'https' : 'http';
  const { host = '' } = headers;
  return `${scheme}://${plainHost.test(host) ? host : connectedTo(socket)}`;
}

function connectedTo({ localAddress = 'localhost', localPort }: IncomingMessage['socket']): string {
  const name = isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  return localPort === undefined ? name : `${name}:${localPort}`;
}
