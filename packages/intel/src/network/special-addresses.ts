import { type IpAddress, type IpNetwork, parseIpNetwork, translatedIpv4 } from '@ringfence/contract';
import { type RangeTable, type Range, tableOf } from './range-table.ts';

/** The kind of an address. Only a `public` one has a location. */
const addressKinds = [
  'public',
  'private',
  'shared',
  'loopback',
  'linkLocal',
  'documentation',
  'multicast',
  'reserved',
] as const;
export type AddressKind = (typeof addressKinds)[number];

/** Source: the special-purpose address registries of IANA for IPv4 and IPv6 (RFC 6890 and its updates). */
const registry: readonly (readonly [network: string, kind: AddressKind])[] = [
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'linkLocal'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/3', 'reserved'],
  ['::1/128', 'loopback'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', 'reserved'],
  ['3fff::/20', 'documentation'],
  ['4000::/2', 'reserved'],
  ['8000::/1', 'reserved'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'linkLocal'],
  ['ff00::/8', 'multicast'],
];

const tables = { 4: tableOfVersion(4), 6: tableOfVersion(6) };

export function kindOfAddress({ version, words }: IpAddress): AddressKind {
  return addressKinds[tables[version].at(words)]!;
}

function tableOfVersion(version: 4 | 6): RangeTable {
  const ranges = registry.flatMap(([network, kind]) => {
    const parsed = parseNetwork(network);
    return parsed?.version === version ? [{ ...parsed.range, value: addressKinds.indexOf(kind) }] : [];
  });
  return tableOf(ranges, version === 4 ? 1 : 4);
}

/** A network, `203.0.113.0/24`, or a single address; `undefined` for any other text. */
export function parseNetwork(
  text: string,
): { readonly version: 4 | 6; readonly range: Omit<Range, 'value'> } | undefined {
  const network = parseIpNetwork(text);
  if (network === undefined) return undefined;
  const { address, prefixLength } = untranslated(network);
  const { version, words } = address;
  const host = BigInt((version === 4 ? 32 : 128) - prefixLength);
  const number = words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
  const first = (number >> host) << host;
  return { version, range: { first, last: first | ((1n << host) - 1n) } };
}

/** NAT64 networks are known as those of the IPv4 addresses behind them. */
function untranslated(network: IpNetwork): IpNetwork {
  const address = translatedIpv4(network.address);
  const prefixLength = network.prefixLength - 96;
  return address === undefined || prefixLength < 0 ? network : { address, prefixLength };
}
