import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Cidr } from '@ringfence/delivery';

/**
 * Tells where requests come from: from the peer of their connection, or, when that is one of the operator's proxies,
 * from whom the proxy says. What anybody else says in `X-Forwarded-For` is not believed.
 */
export class Senders {
  readonly #proxies = new BlockList();

  /** @param trustedProxies ranges of addresses that only the operator's own proxies have */
  constructor(trustedProxies: readonly Cidr[]) {
    for (const { address, bits } of trustedProxies) {
      this.#proxies.addSubnet(address.toString(), bits, address.kind());
    }
  }

  isProxy(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#proxies.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }

  /** The nearest address that is not a proxy's; "" when the connection is closed already. */
  addressOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let nearest = socket.remoteAddress ?? '';
    if (!this.isProxy(nearest)) return nearest;
    // Every proxy adds whom it heard at the end: from there back to the first that is nobody's proxy.
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
