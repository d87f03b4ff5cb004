import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname as machineName } from 'node:os';
import { Problem } from '@ringfence/contract';
import { classifyAddress } from '@ringfence/delivery';

/**
 * Refuses what comes to this machine's own address under a name that somebody else may own. A page of such a name can have
 * it lead here (DNS rebinding): its requests are of one origin with us then, and its browser shows it our answers.
 *
 * @param origin under which people open the console, when it is known
 * @throws Problem `http.malformed`
 */
export function requireOwnName({ headers, socket }: IncomingMessage, origin: string | undefined): void {
  const name = nameOf(headers.host);
  if (name === undefined || isOwnName(name) || (origin !== undefined && name === new URL(origin).hostname)) return;
  if (socket.localAddress === undefined || classifyAddress(socket.localAddress) !== 'loopback') return;
  throw new Problem(
    'http.malformed',
    'Host names somebody else: on its own machine the service is asked for by an address, by localhost, or as console.origin says.',
  );
}

/** Ends of names that no public name server gives out. Source: RFC 6761, RFC 6762; ICANN's resolution 2024.07.29.06. */
const ownEnds = /\.(?:localhost|local|internal)$/;

/** An address, or a name that nobody owns on the internet: of one word, as machines and containers have them, or of a network. */
export function isOwnName(name: string): boolean {
  const address = name.startsWith('[') ? name.slice(1, -1) : name;
  return isIP(address) !== 0 || !name.includes('.') || ownEnds.test(name) || name === machineName();
}

/** Of the header Host, without its port. */
function nameOf(host: string | undefined): string | undefined {
  return host === undefined ? undefined : (URL.parse(`http://${host}`)?.hostname ?? host);
}
