import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Cidr } from '@ringfence/delivery';

/**
 * Determines the address that a request comes from: the peer of its connection or, if that is one of the operator's
 * proxies, the address that the proxy reports. `X-Forwarded-For` from any other peer is ignored.
 */
export class ClientAddresses {
  readonly #proxies = new BlockList();

  /** @param trustedProxies address ranges that only the operator's own proxies use */
  constructor(trustedProxies: readonly Cidr[]) {
    for (const { address, bits } of trustedProxies) {
      this.#proxies.addSubnet(address.toString(), bits, address.kind());
    }
  }

  isProxy(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#proxies.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }

  /** The nearest address that is not a proxy's; "" if the connection is already closed. */
  addressOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let nearest = socket.remoteAddress ?? '';
    if (!this.isProxy(nearest)) return nearest;
    // Every proxy appends the peer that it saw, so search backwards for the first address that is not a proxy's.
    for (const said of String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .toReversed()) {
      const address = withoutPort(said.trim());
      if (isIP(address) === 0) break;
      nearest = address;
      if (!this.isProxy(nearest)) break;
    }
    return nearest;
  }
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
