/**
 * The world that the logins of the benchmark come from: operators of networks with their addresses, devices and
 * browsers with their versions. The numbers are plain assumptions, written down before any score was computed on them.
 */
import { dayMs } from '@ringfence/contract';
import { between, type Random } from '@ringfence/e2e';

export const homeCountry = 'MX';
/** Countries of clients who live abroad, and of trips, the most frequent first. */
export const nearCountries = ['US', 'ES', 'CO', 'GT', 'BR'] as const;
/** Countries that attacks come from, the most frequent first. */
export const farCountries = ['NG', 'RU', 'BR', 'RO', 'VN', 'US', 'NL', 'IN', 'ID', 'UA', 'CN', 'PK'] as const;

/** What an operator sells: lines at home, mobile networks, lines for companies, servers or exits of a VPN. */
export type OperatorKind = 'home' | 'mobile' | 'company' | 'hosting';

export interface Operator {
  readonly asn: number;
  readonly country: string;
  readonly kind: OperatorKind;
}

/** Operators of a country of each kind, and the share of customers of the largest ones. */
const operatorCounts: Readonly<Record<OperatorKind, number>> = { home: 5, mobile: 3, company: 3, hosting: 12 };
const operatorShares: Readonly<Record<OperatorKind, readonly number[]>> = {
  home: [0.45, 0.25, 0.15, 0.1, 0.05],
  mobile: [0.6, 0.25, 0.15],
  company: [0.5, 0.3, 0.2],
  hosting: [0.2, 0.15, 0.12, 0.1, 0.1, 0.08, 0.07, 0.06, 0.04, 0.03, 0.03, 0.02],
};
const kinds: readonly OperatorKind[] = ['home', 'mobile', 'company', 'hosting'];

const countries = [...new Set([homeCountry, ...nearCountries, ...farCountries])];
const perCountry = kinds.reduce((total, kind) => total + operatorCounts[kind], 0);

/** Operators by number: those of a country and a kind are consecutive. */
const operators: readonly Operator[] = countries
  .flatMap((country) =>
    kinds.flatMap((kind) => Array.from({ length: operatorCounts[kind] }, () => ({ country, kind }))),
  )
  .map((operator, at) => ({ ...operator, asn: 10_000 + at }));

/** An operator of this country, by its share of customers. */
export function operatorOf(random: Random, country: string, kind: OperatorKind): Operator {
  const first = countries.indexOf(country) * perCountry + kinds.slice(0, kinds.indexOf(kind)).reduce(counted, 0);
  return operators[first + weighted(random, operatorShares[kind])]!;
}

function counted(total: number, kind: OperatorKind): number {
  return total + operatorCounts[kind];
}

/** Networks (/24) of an operator that customers of one region get their addresses from; a mobile one has one region. */
const networksPerRegion = 12;
const regions = 20;

/** A place where a login comes from. */
export interface Line {
  readonly operator: Operator;
  readonly address: string;
}

/** An address of this operator in a region. */
export function addressIn(random: Random, { asn, kind }: Operator, region: number): string {
  const within = kind === 'mobile' || kind === 'hosting' ? 0 : region % regions;
  const network = within * networksPerRegion + between(random, 0, networksPerRegion - 1);
  const operator = asn - 10_000;
  return `${11 + (operator >> 8)}.${operator & 255}.${network}.${between(random, 1, 254)}`;
}

export function regionOf(random: Random): number {
  return between(random, 0, regions - 1);
}

export type Os = 'Android' | 'iOS' | 'Windows' | 'macOS' | 'Linux';

/** Days between two versions of a browser. */
const releaseDays: Readonly<Record<string, number>> = {
  Chrome: 28,
  Edge: 28,
  Firefox: 28,
  'Samsung Internet': 60,
  Safari: 70,
};
/** Browsers of an operating system, and their shares. */
const browsers: Readonly<Record<Os, readonly (readonly [browser: string, share: number])[]>> = {
  Android: [
    ['Chrome', 0.86],
    ['Samsung Internet', 0.11],
    ['Firefox', 0.03],
  ],
  iOS: [
    ['Safari', 0.9],
    ['Chrome', 0.1],
  ],
  Windows: [
    ['Chrome', 0.66],
    ['Edge', 0.25],
    ['Firefox', 0.09],
  ],
  macOS: [
    ['Safari', 0.52],
    ['Chrome', 0.42],
    ['Firefox', 0.06],
  ],
  Linux: [
    ['Firefox', 0.5],
    ['Chrome', 0.5],
  ],
};
/** Models of phones and computers of an operating system: devices of one model draw and render alike. */
const models: Readonly<Record<Os, number>> = { Android: 120, iOS: 15, Windows: 200, macOS: 12, Linux: 60 };
/** Of a hundred devices, how many never update their browser. */
const neverUpdates = 0.05;
/** Mean time from the release of a version to its update, days. */
const updateDays = 7;

export interface Device {
  readonly id: string;
  readonly os: Os;
  readonly model: number;
  readonly browser: string;
  /** How long after its release a version is installed, ms. */
  readonly lagMs: number;
  /** The version that it stays at; `undefined` if it updates. */
  readonly fixedVersion: number | undefined;
  readonly fonts: number;
}

/** A device with a browser of its operating system. */
export function newDevice(random: Random, os: Os, id: string): Device {
  const [browser] = pickShare(random, browsers[os]);
  return deviceWith(random, { os, browser, id });
}

/** A device of this kind that does not belong to the same person. */
export function deviceWith(
  random: Random,
  { os, browser, id }: { readonly os: Os; readonly browser: string; readonly id: string },
): Device {
  return {
    id,
    os,
    browser,
    model: between(random, 1, models[os]),
    lagMs: exponential(random, updateDays * dayMs),
    fixedVersion: random() < neverUpdates ? between(random, 100, 118) : undefined,
    fonts: between(random, 1, 400),
  };
}

/** The major version of its browser at an instant. */
export function versionAt({ browser, fixedVersion, lagMs }: Device, atMs: number): number {
  return fixedVersion ?? 120 + Math.floor((atMs - worldBeginMs - lagMs) / ((releaseDays[browser] ?? 28) * dayMs));
}

export const worldBeginMs = Date.UTC(2026, 0, 1);

/** The user agent: browsers hide details of Android and macOS, iOS shows its own version, which comes with Safari's. */
export function agentOf({ os, browser }: Device, version: number): string {
  const system = {
    Android: 'Linux; Android 10; K',
    iOS: 'iPhone',
    Windows: 'Windows NT 10.0',
    macOS: 'Macintosh',
    Linux: 'X11; Linux',
  }[os];
  return `Mozilla/5.0 (${system}) ${browser}/${version}.0.0.0`;
}

export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean;
}

/** A number with a normal distribution. */
export function normal(random: Random, mean: number, deviation: number): number {
  return mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The place of a share, chosen by it. */
export function weighted(random: Random, shares: readonly number[]): number {
  let left = random() * shares.reduce((total, share) => total + share, 0);
  for (let at = 0; at < shares.length; at++) {
    left -= shares[at]!;
    if (left < 0) return at;
  }
  return shares.length - 1;
}

export function pickShare<Item>(
  random: Random,
  items: readonly (readonly [item: Item, share: number])[],
): readonly [item: Item, share: number] {
  return items[
    weighted(
      random,
      items.map(([, share]) => share),
    )
  ]!;
}

/** An item of a list whose first ones are the most frequent: the n-th has a share of 1 / n. */
export function pickZipf<Item>(random: Random, items: readonly Item[]): Item {
  return items[
    weighted(
      random,
      items.map((_, at) => 1 / (at + 1)),
    )
  ]!;
}
