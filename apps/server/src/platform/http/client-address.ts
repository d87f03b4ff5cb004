import type { IncomingMessage } from 'node:http';
import { type IpNetwork, isInNetwork, parseIpAddress } from '@ringfence/contract';

/**
 * Determines the address that a request comes from: the peer of its connection or, if that is one of the operator's
 * proxies, the address that the proxy reports. `X-Forwarded-For` from any other peer is ignored.
 */
export class ClientAddresses {
  readonly #proxies: readonly IpNetwork[];

  /** @param trustedProxies address ranges that only the operator's own proxies use */
  constructor(trustedProxies: readonly IpNetwork[]) {
    this.#proxies = trustedProxies;
  }

  isProxy(text: string): boolean {
    const address = parseIpAddress(withoutZone(text));
    return address !== undefined && this.#proxies.some((range) => isInNetwork(address, range));
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
      if (parseIpAddress(withoutZone(address)) === undefined) break;
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

/** `fe80::1%eth0`: the zone names an interface of this machine. */
function withoutZone(text: string): string {
  return text.split('%', 1)[0]!;
}
