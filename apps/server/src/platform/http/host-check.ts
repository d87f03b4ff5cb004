import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname as machineName } from 'node:os';
import { Problem } from '@ringfence/contract';
import { classifyAddress } from '@ringfence/delivery';

/**
 * Prevents DNS rebinding: refuses a request to this machine's loopback address under a host name that a stranger may
 * own. The owner could point the name here; a page from there would then share our origin, and the browser would let it
 * read our answers.
 *
 * @param origin the address under which people open the console, if known
 * @throws Problem `http.malformed`
 */
export function requireKnownHost({ headers, socket }: IncomingMessage, origin: string | undefined): void {
  const name = nameOf(headers.host);
  if (name === undefined || isKnownHost(name) || (origin !== undefined && name === new URL(origin).hostname)) return;
  if (socket.localAddress === undefined || classifyAddress(socket.localAddress) !== 'loopback') return;
  throw new Problem(
    'http.malformed',
    'Host is a foreign name: on its own machine the service is reached by an IP address, by localhost, or by the name in console.origin.',
  );
}

/** Suffixes that are never delegated in public DNS. Source: RFC 6761, RFC 6762; ICANN's resolution 2024.07.29.06. */
const ownEnds = /\.(?:localhost|local|internal)$/;

/**
 * An address, or a name that cannot be registered on the internet: a single label, as machines and containers have, or a
 * private suffix.
 */
export function isKnownHost(name: string): boolean {
  const address = name.startsWith('[') ? name.slice(1, -1) : name;
  return isIP(address) !== 0 || !name.includes('.') || ownEnds.test(name) || name === machineName();
}

/** The host name in the header Host, without the port. */
function nameOf(host: string | undefined): string | undefined {
  return host === undefined ? undefined : (URL.parse(`http://${host}`)?.hostname ?? host);
}
