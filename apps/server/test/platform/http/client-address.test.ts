import type { IncomingMessage } from 'node:http';
import { parseCidr } from '@ringfence/delivery';
import { describe, expect, it } from 'vitest';
import { ClientAddresses } from '../../../src/platform/http/client-address.ts';

const senders = new ClientAddresses(['10.0.0.0/8', 'fd00::/8', '192.0.2.9'].map((range) => parseCidr(range)!));

function from(remoteAddress: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return senders.addressOf({ socket: { remoteAddress } as IncomingMessage['socket'], headers });
}

describe('the sender of a request', () => {
  it.each<[string, string | undefined, string | undefined, string]>([
    ['the peer', '203.0.113.7', undefined, '203.0.113.7'],
    ['the peer, whatever it sends in X-Forwarded-For', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['the address that the proxy reports', '10.1.1.1', '203.0.113.7', '203.0.113.7'],
    ['the same, for a listener of both versions', '::ffff:10.1.1.1', '203.0.113.7', '203.0.113.7'],
    [
      'the last address that the proxy reports: the others can be forged',
      '10.1.1.1',
      '198.51.100.1, 203.0.113.7',
      '203.0.113.7',
    ],
    [
      'the address that the first of two proxies reports',
      'fd00::1',
      '198.51.100.1, 203.0.113.7, 192.0.2.9',
      '203.0.113.7',
    ],
    ['reported with a port', '10.1.1.1', '203.0.113.7:4711', '203.0.113.7'],
    ['reported with a port, in IPv6', '10.1.1.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['the proxy, if it reports no address', '10.1.1.1', undefined, '10.1.1.1'],
    ['the proxy, if it reports something that is not an address', '10.1.1.1', 'unknown', '10.1.1.1'],
    ['the farthest, if all are proxies', '10.1.1.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
    ['empty, once the connection is closed', undefined, '203.0.113.7', ''],
  ])('is %s', (_, ...[peer, forwarded, expected]) => {
    expect(from(peer, forwarded)).toBe(expected);
  });
});
