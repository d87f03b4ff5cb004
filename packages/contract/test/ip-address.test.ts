import { BlockList, isIP, SocketAddress } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalAddress,
  hasHostBits,
  isInNetwork,
  parseIpAddress,
  parseIpNetwork,
  printIpAddress,
  printIpNetwork,
  subnetOf,
  translatedIpv4,
} from '../src/ip-address.ts';

/** The runtime's notation of an address. */
function nodePrints(text: string): string {
  return new SocketAddress({ address: text, family: isIP(text) === 4 ? 'ipv4' : 'ipv6' }).address;
}

function printedOf(text: string): string | undefined {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : printIpAddress(address);
}

describe('an address', () => {
  it('is accepted exactly if the runtime accepts it', () => {
    const nearly = fc.stringMatching(/^[0-9a-f:.]{1,45}$/);
    const part = fc.constantFrom('', '0', '1', '01', '255', '256', 'ffff', '10000', 'g', '1.2.3.4', '1.2.3.256');
    const separator = fc.constantFrom(':', '::', '.', '');
    const parts = fc.array(fc.tuple(part, separator), { maxLength: 9 }).map((all) => all.flat().join(''));
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), nearly, parts), (text) => {
        expect(parseIpAddress(text) !== undefined).toBe(isIP(text) !== 0);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });

  it('has one canonical text', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(printedOf(text)).toBe(nodePrints(text));
      }),
      { seed: 1 },
    );
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (words) => {
        const text = words.map((group) => group.toString(16)).join(':');
        const address = parseIpAddress(text)!;
        fc.pre(address.version === 6);
        // The runtime writes the last 32 bits of a few old forms with dots; only the bytes are compared.
        expect(parseIpAddress(printIpAddress(address))).toEqual(address);
        fc.pre(!nodePrints(text).includes('.'));
        expect(printIpAddress(address)).toBe(nodePrints(text));
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:CB00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['::', '::'],
    ['1::', '1::'],
  ])('%s is %s', (text, one) => {
    expect(printedOf(text)).toBe(one);
  });

  it.each(['', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.256', '1.2.3.4:80', '[::1]', 'fe80::1%eth0', '1::2::3', ':1'])(
    '%j is not an address',
    (text) => {
      expect(parseIpAddress(text)).toBeUndefined();
    },
  );

  it.each([
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b:1::203.0.113.7', undefined],
    ['2001:db8::1', undefined],
    ['203.0.113.7', undefined],
  ])('%s contains %s by NAT64', (text, expected) => {
    const behind = translatedIpv4(parseIpAddress(text)!);
    expect(behind === undefined ? undefined : printIpAddress(behind)).toBe(expected);
  });
});

describe('the canonical text of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7\t', '203.0.113.7'],
    ['203.0.113.7:50001', '203.0.113.7'],
    ['[203.0.113.7]:50001', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:CB00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7:50001', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:50001', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '203.0.113.7'],
    ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['2001:0db8::0007', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['[fe80::1%en-0]:443', 'fe80::1'],
  ])('%s', (text, expected) => {
    expect(canonicalAddress(text)).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    '203.0.113.7, 10.0.0.1',
    '203.0.113.7:port',
    '203.0.113.7:',
    '203.0.113.7:123456',
    '203.0.113.007',
    '203.0.113.0/24',
    '203.0.113.7%eth0',
    '[203.0.113.7',
    '[[::1]]',
    '1:2:3:4:5:6:7:8:9',
    '203.0.113.7:1:2',
  ])('is not there for a text that is not one address: %s', (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it('is its own canonical text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const once = canonicalAddress(text)!;
        expect(canonicalAddress(once)).toBe(once);
        expect([`[${once}]:1`, ` ${once} `].map(canonicalAddress)).toEqual([once, once]);
      }),
      { seed: 1 },
    );
  });

  it.each([
    ['203.0.113.7:1', '203.0.113.7/32'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['unknown', undefined],
  ])('of the subnet of %s', (text, expected) => {
    expect(subnetOf(text)).toBe(expected);
  });
});

describe('a network', () => {
  it.each([
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['255.255.255.255/24', '255.255.255.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/0', '0.0.0.0/0'],
    ['2001:db8:aaaa:bbbb::1/48', '2001:db8:aaaa::/48'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['ffff::/1', '8000::/1'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
    ['::ffff:0:0/90', '::ffc0:0:0/90'],
  ])('%s is %s', (text, printed) => {
    expect(printIpNetwork(parseIpNetwork(text)!)).toBe(printed);
    expect(hasHostBits(parseIpNetwork(printed)!)).toBe(false);
  });

  it.each(['203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/', '::/129', '203.0.113.0/24/8', '1.2.3.0/2.5', 'x/8', ''])(
    '%j is refused',
    (text) => {
      expect(parseIpNetwork(text)).toBeUndefined();
    },
  );

  it('contains the addresses that the runtime finds in it', () => {
    const ipv4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.nat(32), fc.constant('ipv4' as const));
    const ipv6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.nat(128), fc.constant('ipv6' as const));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), ([first, second, length, family]) => {
        const list = new BlockList();
        list.addSubnet(first, length, family);
        const network = parseIpNetwork(`${first}/${length}`)!;
        for (const text of [first, second, first.replace(/[0-9a-f]$/i, '0')])
          expect(isInNetwork(parseIpAddress(text)!, network)).toBe(list.check(text, family));
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });
});
