import fc from 'fast-check';
import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressNumbers, NetworkSet, networkText, parseNetwork } from '../../src/values/networks.ts';
import { evaluate, mistakeOf } from '../evaluate.ts';
import { factsOf, mistakesOf, policyOf } from '../load.ts';

describe('an address', () => {
  it.each([
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['::ffff:203.0.113.7', '::ffff:cb00:7107'],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ])('%s is looked up as %s', (address, other) => {
    expect(addressNumbers(address)).toHaveLength(1);
    expect(addressNumbers(address)).toEqual(addressNumbers(other));
  });
});

describe('a range', () => {
  it('has one canonical text, which is parsed as the same range', () => {
    const group = fc.constantFrom('0', '0', '0', '1', 'db8', 'FFFF');
    const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'));
    const range = fc.oneof(
      fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })),
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    );
    fc.assert(
      fc.property(range, ([address, length]) => {
        const network = parseNetwork(`${address}/${length}`)!;
        expect(parseNetwork(networkText(network))).toEqual(network);
      }),
      { seed: 8, numRuns: 1_000 },
    );
  });

  it.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4'],
    ['2001:db8:0:1:1:1:1:1/128', '2001:db8:0:1:1:1:1:1'],
    ['::', '::'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/24', '203.0.113.0/24'],
  ])('%s is %s', (written, text) => {
    expect(networkText(parseNetwork(written)!)).toBe(text);
  });
});

describe('a set of networks', () => {
  it('contains the addresses that the runtime finds in it', () => {
    const ipv4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const));
    const ipv6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }), fc.constant('ipv6' as const));
    fc.assert(
      fc.property(fc.oneof(fc.array(ipv4, { maxLength: 5 }), fc.array(ipv6, { maxLength: 5 })), (ranges) => {
        const list = new BlockList();
        for (const [start, length, family] of ranges) list.addSubnet(start, length, family);
        const set = new NetworkSet(ranges.map(([start, length]) => parseNetwork(`${start}/${length}`)!));
        for (const [address, , family] of ranges) {
          const neighbour = address.replace(/[0-9a-f]$/i, '0');
          expect(set.has(neighbour)).toBe(list.check(neighbour, family));
          expect(set.has(address)).toBe(true);
        }
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it.each(['203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/', '2001:db8::/129', '203.0.113.0/24/8', 'x/8', ''])(
    '%s is not a range',
    (text) => {
      expect(parseNetwork(text)).toBeUndefined();
    },
  );
});

describe('addresses in conditions', () => {
  it.each([
    ['publicIp.inNetwork("203.0.113.0/24")', '203.0.113.7', true],
    ['publicIp.inNetwork("203.0.113.0/24")', '203.0.114.7', false],
    ['publicIp.inNetwork("2001:db8::/32")', '2001:db8::7', true],
    ['publicIp.inNetwork("10.0.0.0/8")', '10.1.1.1, 203.0.113.7', false],
    ['publicIp.inNetwork("0.0.0.0/0")', undefined, undefined],
    ['publicIp.inNetwork("203.0.113.0/24")', '64:ff9b::203.0.113.7', true],
    ['publicIp.inNetwork("203.0.113.0/24")', '64:ff9b::cb00:7207', false],
    ['publicIp.inNetwork("203.0.113.0/24")', '64:ff9b:1::203.0.113.7', false],
    ['publicIp.inNetwork("64:ff9b::/96")', '64:ff9b::203.0.113.7', true],
    ['publicIp.inNetwork("64:ff9b::/96")', '203.0.113.7', false],
  ])('%s for %s: %s', (text, publicIp, outcome) => {
    expect(evaluate(text, { publicIp })).toBe(outcome);
  });

  it('an invalid range is a mistake', () => {
    expect(mistakeOf('publicIp.inNetwork("203.0.113.0/40")')).toBe(
      '""203.0.113.0/40"": "203.0.113.0/40" is not an address range => such as "203.0.113.0/24" or "2001:db8::/32"',
    );
  });

  const rule = "rules: [{ reason: 1, name: r, when: 'publicIp in lists.office', then: { action: 2 } }]";

  it('a list of addresses can contain ranges', () => {
    const policy = policyOf(`lists: { office: { of: publicIp, items: [203.0.113.0/24, '2001:db8::1'] } }\n${rule}`);
    const outcome = (publicIp: string): unknown => policy.rules[0]?.when(factsOf(policy, { publicIp }));
    expect(['203.0.113.7', '203.0.114.7', '2001:DB8:0::1', 'x'].map(outcome)).toEqual([true, false, true, false]);
  });

  it('an invalid range in a list is a mistake at its place', () => {
    expect(mistakesOf(`lists: { office: { of: session.ip, items: [203.0.113.0/24, 'home'] } }\n${rule}`)).toEqual([
      '1:60 home is neither an address nor an address range => such as 203.0.113.0/24',
    ]);
  });
});
