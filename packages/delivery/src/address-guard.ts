import {
  hasHostBits,
  type IpAddress,
  type IpNetwork,
  isInNetwork,
  parseIpAddress,
  parseIpNetwork,
} from '@ringfence/contract';

/*
 * Checks the address that a connection really uses, never the spelling in the URL: names and decimal, octal or short
 * forms are all resolved to an address by then. An address that is not known to be public is refused.
 */

/** The class of an address. Every class but `public` is refused unless the operator's list contains the range. */
export type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'linkLocal'
  | 'carrierNat'
  | 'multicast'
  | 'documentation'
  | 'benchmark'
  | 'unspecified'
  | 'metadata'
  /** IPv6 that embeds or translates to an IPv4 address: NAT64, 6to4, Teredo, compatible, translated. */
  | 'transition'
  | 'reserved'
  /** Not an address. Always refused. */
  | 'invalid';

/** A range of addresses; no bits beyond the prefix are set. */
export type Cidr = IpNetwork;

/** A range that the operator allows webhooks to be sent to. */
export interface AllowedRange extends Cidr {
  /** For webhooks of development workspaces alone. */
  readonly developmentOnly?: boolean;
  /** For webhooks of these workspaces alone: `acme` in both environments, or `acme/production`. */
  readonly workspaces?: readonly string[];
  /** On these ports alone. */
  readonly ports?: readonly number[];
}

/** The workspace that a webhook belongs to. */
export interface WebhookOwner {
  readonly name: string;
  readonly environment: 'production' | 'development';
}

/** The ranges that webhooks of a workspace may be sent to, of all that the operator allows. */
export function rangesOf({ name, environment }: WebhookOwner, allow: readonly AllowedRange[]): readonly AllowedRange[] {
  const isMeant = (label: string): boolean => label === name || label === `${name}/${environment}`;
  return allow.filter(
    ({ developmentOnly, workspaces }) =>
      (environment === 'development' || developmentOnly !== true) &&
      (workspaces === undefined || workspaces.some(isMeant)),
  );
}

/** Those of the ranges in which this port is allowed. */
export function rangesAt(port: number, allow: readonly AllowedRange[]): readonly AllowedRange[] {
  return allow.filter(({ ports }) => ports === undefined || ports.includes(port));
}

const ranges: readonly (readonly [AddressClass, readonly Cidr[]])[] = (
  [
    // Cloud metadata services, which hand out credentials: AWS and most others, ECS tasks, AWS over IPv6, Alibaba,
    // Azure, Oracle.
    [
      'metadata',
      '169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 fd00:ec2::254/128 fd00:ec2::23/128 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32',
    ],
    ['unspecified', '0.0.0.0/8 ::/128'],
    ['loopback', '127.0.0.0/8 ::1/128'],
    ['private', '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10'],
    ['linkLocal', '169.254.0.0/16 fe80::/10'],
    ['carrierNat', '100.64.0.0/10'],
    ['multicast', '224.0.0.0/4 ff00::/8'],
    ['documentation', '192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20'],
    ['benchmark', '198.18.0.0/15 2001:2::/48'],
    ['transition', '192.88.99.0/24 ::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32'],
    [
      'reserved',
      '192.0.0.0/24 192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 240.0.0.0/4 100::/64 100:0:0:1::/64 2001::/23 2620:4f:8000::/48 5f00::/16',
    ],
  ] satisfies [AddressClass, string][]
).map(([kind, texts]) => [kind, texts.split(' ').map(cidr)]);

/** IPv6 addresses that are allocated to networks. Source: IANA IPv6 Global Unicast Address Assignments. */
const globalUnicast = cidr('2000::/3');

/** This machine, for webhooks of development workspaces. */
export const localWebhooks: readonly AllowedRange[] = ['127.0.0.0/8', '::1/128'].map((text) => ({
  ...cidr(text),
  developmentOnly: true,
}));

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new RangeError(`not a range of addresses: ${text}`);
  return parsed;
}

/**
 * Parses a range in CIDR notation or a single address. Returns `undefined` when it is neither, or when bits beyond the
 * prefix are set, because the author probably meant another range.
 */
export function parseCidr(text: string): Cidr | undefined {
  const network = parseIpNetwork(text);
  return network === undefined || hasHostBits(network) ? undefined : network;
}

/** Classifies an address as DNS or a socket returns it. IPv4-mapped IPv6 is unwrapped. */
export function classifyAddress(text: string): AddressClass {
  const address = parseIpAddress(text);
  return address === undefined ? 'invalid' : classOf(address);
}

function classOf(address: IpAddress): AddressClass {
  const found = ranges.find(([, cidrs]) => cidrs.some((range) => isInNetwork(address, range)));
  if (found !== undefined) return found[0];
  return address.version === 4 || isInNetwork(address, globalUnicast) ? 'public' : 'reserved';
}

export interface AddressVerdict {
  readonly allowed: boolean;
  readonly class: AddressClass;
  /** Allowed because the operator's list contains it. Plain http is then allowed in production as well. */
  readonly byOperator: boolean;
}

/**
 * Decides whether a connection to this address is allowed.
 *
 * @param allow the operator's ranges. A metadata service must be listed by its exact address, since 169.254.0.0/16 is
 *   hardly ever meant to include it
 */
export function checkAddress(text: string, allow: readonly Cidr[]): AddressVerdict {
  const address = parseIpAddress(text);
  if (address === undefined) return { allowed: false, class: 'invalid', byOperator: false };
  const kind = classOf(address);
  const exactBits = address.version === 4 ? 32 : 128;
  const byOperator = allow.some(
    (range) => isInNetwork(address, range) && (kind !== 'metadata' || range.prefixLength === exactBits),
  );
  return { allowed: kind === 'public' || byOperator, class: kind, byOperator };
}
