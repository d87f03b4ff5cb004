import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Senders } from '../platform/http/client-address.ts';

/** A name or an address with its port: nothing that ends a word of a shell, or means anything in HTML. */
const plainHost = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Scheme, host and port at which somebody has asked. What Host says is taken while it is plainly one; otherwise the
 * address that was connected to. A proxy of the operator may say that it was asked by https; nobody else is believed.
 */
export function askedAt({ headers, socket }: IncomingMessage, senders: Pick<Senders, 'isProxy'>): string {
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
