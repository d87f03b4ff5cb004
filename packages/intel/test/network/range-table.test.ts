import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIpAddress } from '@ringfence/contract';
import { tableOf } from '../../src/network/range-table.ts';
import { kindOfAddress, parseNetwork } from '../../src/network/special-addresses.ts';

describe('a table of ranges', () => {
  /** Networks are nested or disjoint: the narrower one wins. */
  it('finds the same as a scan of all networks', () => {
    const network = fc.record({ at: fc.nat(4_095), bits: fc.nat(12), value: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(fc.uniqueArray(network, { selector: ({ at, bits }) => `${at >> bits} ${bits}` }), (networks) => {
        const ranges = networks.map(({ at, bits, value }) => {
          const first = BigInt((at >> bits) << bits);
          return { first, last: first + (1n << BigInt(bits)) - 1n, value };
        });
        const table = tableOf(ranges, 1);
        for (let address = 0; address < 4_200; address += 7) {
          const around = ranges.filter(({ first, last }) => first <= address && address <= last);
          const narrowest = around.toSorted((a, b) => Number(a.last - a.first - (b.last - b.first)))[0];
          expect(table.at([address])).toBe(narrowest?.value ?? 0);
        }
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('covers both ends of the address space', () => {
    const all = (1n << 128n) - 1n;
    const table = tableOf([{ first: 0n, last: all, value: 3 }], 4);
    expect(table.at([0, 0, 0, 0])).toBe(3);
    expect(table.at([0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff])).toBe(3);
    expect(tableOf([{ first: 1n, last: 0xffff_ffffn, value: 2 }], 1).at([0])).toBe(0);
  });
});

describe('the kind of an address', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2001:4860:4860::8888', 'public'],
    ['2606:4700::1111', 'public'],
    ['10.1.2.3', 'private'],
    ['::ffff:192.168.1.1', 'private'],
    ['fd00::1', 'private'],
    ['100.64.0.1', 'shared'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['169.254.1.1', 'linkLocal'],
    ['fe80::1', 'linkLocal'],
    ['203.0.113.7', 'documentation'],
    ['2001:db8::1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['0.0.0.0', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'reserved'],
    ['2002::1', 'reserved'],
    ['9000::1', 'reserved'],
  ])('of %s is %s', (text, kind) => {
    expect(kindOfAddress(parseIpAddress(text)!)).toBe(kind);
  });
});

it.each(['203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/', '203.0.113.0/8/8', 'x/8', '::/129', '1.2.3.0/2.5'])(
  '%s is not a network',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  },
);
