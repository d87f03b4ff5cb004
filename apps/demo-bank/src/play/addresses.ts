/**
 * Login addresses of the demo's clients. Documentation addresses (RFC 5737) have no country, so a map of them would be
 * empty: these are networks of telephone companies that the bundled country data knows. The addresses appear in events
 * only. Nothing is sent to them, and they say nothing about their owners.
 */
const countries = {
  MX: { home: '189.180.30', phone: '200.68.140' },
  CO: { home: '190.24.60', phone: '181.51.30' },
  ES: { home: '83.50.20', phone: '88.6.40' },
  US: { home: '73.10.20', phone: '98.40.10' },
  AR: { home: '181.46.100', phone: '186.22.10' },
  BR: { home: '177.32.40', phone: '189.40.30' },
} as const;

export type DemoCountry = keyof typeof countries;

/** One client in this many lives abroad; the bank is Mexican. */
const abroadEvery = 4;
const abroad: readonly DemoCountry[] = ['CO', 'ES', 'US', 'AR', 'BR'];

/** The country of an ordinary client, by its number. */
export function countryOf(client: number): DemoCountry {
  return client % abroadEvery === 0 ? (abroad[(client / abroadEvery) % abroad.length] ?? 'MX') : 'MX';
}

/** An address of an ordinary client at home or on the move, both in its country: half a minute allows no travel. */
export function addressOf(client: number, place: 'home' | 'phone'): string {
  return `${countries[countryOf(client)][place]}.${client}`;
}

/** A separate network per story: rules count by address and network. */
export const storyNetworks = {
  takeover: '189.147.10',
  elsewhere: '201.103.20',
  burst: '200.76.80',
  mules: '187.188.20',
  hijack: '201.141.20',
  logout: '187.189.90',
  trial: '189.203.100',
  robot: '152.200.10',
  holds: '187.190.40',
  stepUps: '189.254.30',
} as const;
