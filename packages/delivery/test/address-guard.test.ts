import { describe, expect, it } from 'vitest';
import { type AddressClass, checkAddress, type Cidr, classifyAddress, parseCidr } from '../src/address-guard.ts';

function range(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`not a range: ${text}`);
  return parsed;
}

/**
 * First and last address of every range, their neighbours, and the forms in which one address is embedded in another.
 */
const targets: readonly (readonly [string, AddressClass])[] = [
  ['8.8.8.8', 'public'],
  ['1.1.1.1', 'public'],
  ['93.184.216.34', 'public'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['0.255.255.255', 'unspecified'],
  ['1.0.0.0', 'public'],
  ['9.255.255.255', 'public'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['11.0.0.0', 'public'],
  ['100.63.255.255', 'public'],
  ['100.64.0.0', 'carrierNat'],
  ['100.127.255.255', 'carrierNat'],
  ['100.128.0.0', 'public'],
  ['100.100.100.200', 'metadata'],
  ['126.255.255.255', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['128.0.0.0', 'public'],
  ['168.63.129.16', 'metadata'],
  ['168.63.129.17', 'public'],
  ['169.253.255.255', 'public'],
  ['169.254.0.1', 'linkLocal'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['169.254.170.23', 'metadata'],
  ['169.254.255.255', 'linkLocal'],
  ['169.255.0.0', 'public'],
  ['172.15.255.255', 'public'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', 'public'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.192', 'metadata'],
  ['192.0.1.0', 'public'],
  ['192.0.2.1', 'documentation'],
  ['192.31.196.1', 'reserved'],
  ['192.52.193.1', 'reserved'],
  ['192.88.99.1', 'transition'],
  ['192.167.255.255', 'public'],
  ['192.168.0.1', 'private'],
  ['192.168.255.255', 'private'],
  ['192.169.0.0', 'public'],
  ['192.175.48.1', 'reserved'],
  ['198.17.255.255', 'public'],
  ['198.18.0.1', 'benchmark'],
  ['198.19.255.255', 'benchmark'],
  ['198.20.0.0', 'public'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['223.255.255.255', 'public'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['2606:4700:4700::1111', 'public'],
  ['2a00:1450:4001:81b::200e', 'public'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::2', 'transition'],
  ['::127.0.0.1', 'transition'],
  ['::7f00:1', 'transition'],
  ['::8.8.8.8', 'transition'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['0:0:0:0:0:ffff:10.0.0.1', 'private'],
  ['::ffff:169.254.169.254', 'metadata'],
  ['::FFFF:A9FE:A9FE', 'metadata'],
  ['::ffff:8.8.8.8', 'public'],
  ['::ffff:0:127.0.0.1', 'transition'],
  ['64:ff9b::127.0.0.1', 'transition'],
  ['64:ff9b::7f00:1', 'transition'],
  ['64:ff9b::8.8.8.8', 'transition'],
  ['64:ff9b:1::10.0.0.1', 'transition'],
  ['64:ff9b:1:ffff::1', 'transition'],
  ['64:ff9b:2::1', 'reserved'],
  ['100::1', 'reserved'],
  ['2001::1', 'transition'],
  ['2001:0:7f00:1::', 'transition'],
  ['2001:2::1', 'benchmark'],
  ['2001:10::1', 'reserved'],
  ['2001:20::1', 'reserved'],
  ['2001:1ff::1', 'reserved'],
  ['2001:200::1', 'public'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', 'transition'],
  ['2002:0808:0808::1', 'transition'],
  ['2620:4f:8000::1', 'reserved'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['8000::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fd12:3456:789a::1', 'private'],
  ['fd00:ec2::254', 'metadata'],
  ['fe80::1', 'linkLocal'],
  ['febf::1', 'linkLocal'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['fe80::1%eth0', 'invalid'],
  ['2606:4700::1%lo', 'invalid'],
  ['2130706433', 'invalid'],
  ['0x7f000001', 'invalid'],
  ['0177.0.0.1', 'invalid'],
  ['127.1', 'invalid'],
  ['127.0.0.1.', 'invalid'],
  [' 8.8.8.8', 'invalid'],
  ['localhost', 'invalid'],
  ['', 'invalid'],
];

describe('the class of an address', () => {
  it.each(targets)('%s: %s', (address, expected) => {
    expect(classifyAddress(address)).toBe(expected);
  });

  it('allows only public addresses', () => {
    const allowed = targets.filter(([address]) => checkAddress(address, []).allowed);
    expect(allowed).toEqual(targets.filter(([, kind]) => kind === 'public'));
  });
});

describe("the operator's list", () => {
  it.each([
    ['127.0.0.0/8', '127.0.0.1', true],
    ['127.0.0.0/8', '::ffff:127.0.0.1', true],
    ['127.0.0.0/8', '::1', false],
    ['127.0.0.0/8', '128.0.0.1', true], // public anyway
    ['10.20.0.0/16', '10.20.255.1', true],
    ['10.20.0.0/16', '10.21.0.1', false],
    ['10.20.0.0/16', '64:ff9b::10.20.0.1', false],
    ['10.20.0.5', '10.20.0.5', true],
    ['10.20.0.5', '10.20.0.6', false],
    ['::1/128', '::1', true],
    ['fd00::/8', 'fd12::1', true],
    ['0.0.0.0/0', '10.0.0.1', true],
    ['0.0.0.0/0', '::1', false],
    ['0.0.0.0/0', 'fe80::1%eth0', false],
  ])('%s lets %s through: %s', (allow, address, expected) => {
    expect(checkAddress(address, [range(allow)]).allowed).toBe(expected);
  });

  it('allows metadata services by their exact address only', () => {
    expect(checkAddress('169.254.169.254', [range('169.254.0.0/16'), range('0.0.0.0/0')]).allowed).toBe(false);
    expect(checkAddress('169.254.169.254', [range('169.254.169.254/32')]).allowed).toBe(true);
    expect(checkAddress('fd00:ec2::254', [range('fd00:ec2::/32'), range('::/0')]).allowed).toBe(false);
    expect(checkAddress('fd00:ec2::254', [range('fd00:ec2::254/128')]).allowed).toBe(true);
  });

  it('reports when the list allowed an address', () => {
    expect(checkAddress('10.0.0.1', [range('10.0.0.0/8')])).toMatchObject({ byOperator: true });
    expect(checkAddress('8.8.8.8', [range('10.0.0.0/8')])).toMatchObject({ allowed: true, byOperator: false });
    expect(checkAddress('no address', [range('0.0.0.0/0'), range('::/0')])).toMatchObject({
      allowed: false,
      byOperator: false,
    });
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.1/8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    'fe80::%1/10',
    '10.0.0.0/08x',
    'a',
  ])('rejects an invalid range: %s', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });
});
