/**
 * Facts of a login that its session carries, for the operations in it. Snapshots depend on the order: a new one comes
 * last.
 */
export const carriedPaths = [
  'device.state',
  'device.id',
  'device.match',
  'device.score',
  'device.isNew',
  'device.firstSeenAt',
  'device.changed',
  'device.keyChanged',
  'device.automation',
  'device.tampered',
  'device.headless',
  'device.virtual',
  'device.os',
  'device.browser',
  'device.print',
  'device.timezoneMismatch',
  'device.languageMismatch',
  'ip.address',
  'ip.network',
  'ip.country',
  'ip.continent',
  'ip.asn',
  'ip.organisation',
  'ip.hosting',
  'ip.vpn',
  'ip.tor',
  'ip.relay',
  'ip.proxy',
  'ip.anonymous',
  'ip.isNew',
  'ip.networkIsNew',
  'ip.countryIsNew',
  'travel.impossible',
  'device.browserBehind',
] as const;
export type CarriedPath = (typeof carriedPaths)[number];

/** By the place of the path; a missing one is `undefined`. */
export type CarriedFacts = readonly (string | number | boolean | undefined)[];
