/**
 * Clients of a bank and how they log in: from home, over the mobile network, from work, from other places, on trips,
 * and some over a VPN; with a phone and often a computer, whose browsers update and which are replaced.
 */
import { dayMs, hourMs } from '@ringfence/contract';
import { between, type Random } from '@ringfence/e2e';
import {
  addressIn,
  type Device,
  exponential,
  homeCountry,
  type Line,
  nearCountries,
  newDevice,
  normal,
  type Operator,
  operatorOf,
  type Os,
  pickShare,
  pickZipf,
  regionOf,
  worldBeginMs,
} from './world.ts';

/** Shares of clients, or of their logins. */
const shares = {
  livesAbroad: 0.06,
  hasComputer: 0.65,
  hasTablet: 0.1,
  hasWork: 0.4,
  tripsInTime: 0.25,
  usesVpn: 0.03,
  triesVpn: 0.04,
  secondBrowser: 0.1,
} as const;
/** Of the logins of a client who has or does this. */
const logins = {
  overVpn: 0.6,
  overTriedVpn: 0.05,
  withSecondBrowser: 0.1,
  storageCleared: 0.015,
  borrowed: 0.003,
} as const;
/** Mean time until a device is replaced. */
const phoneLifeMs = 900 * dayMs;
const computerLifeMs = 1_500 * dayMs;
/** Share of new phones and computers with the same operating system as before. */
const sameSystem = 0.85;
const phones = [
  ['Android', 0.72],
  ['iOS', 0.28],
] as const satisfies readonly (readonly [Os, number])[];
const computers = [
  ['Windows', 0.84],
  ['macOS', 0.14],
  ['Linux', 0.02],
] as const satisfies readonly (readonly [Os, number])[];
/** How long an address of a line at home stays, days. */
const leases = [1, 7, 30, 90, 365] as const;
/** Clients who work at one company, with one address for all of them. */
const companies = 300;
/**
 * Safari deletes what a page has stored after so long without a visit.
 * Source: Full Third-Party Cookie Blocking and More, WebKit, 2020
 */
const safariForgetsMs = 7 * dayMs;
const tripDays = [4, 14] as const;
/** Median days between two logins, and the spread of its logarithm. */
const gapDays = 3;
const gapSpread = 0.7;
/** Share of logins at the client's usual hours, and the spread of these. */
const atUsualHours = 0.8;
const usualSpreadHours = 2.5;
/** The zone of the bank; its clients live by it. */
const localOffsetMs = -6 * hourMs;

/** A device in use from an instant until it is replaced. */
interface Owned {
  readonly device: Device;
  readonly untilMs: number;
}

type Role = 'phone' | 'computer' | 'tablet';

export interface Client {
  readonly name: string;
  readonly country: string;
  readonly region: number;
  readonly gapMs: number;
  readonly usualHour: number;
  readonly home: { readonly operator: Operator; readonly leaseMs: number; readonly seed: number };
  readonly mobile: Operator;
  readonly work: Line | undefined;
  readonly vpn: { readonly operator: Operator; readonly share: number } | undefined;
  readonly trip: { readonly country: string; readonly fromMs: number; readonly untilMs: number } | undefined;
  readonly secondBrowser: Device | undefined;
  readonly owned: Map<Role, Owned>;
  /** What the page has stored on each device, by its id. */
  readonly stored: Map<string, { readonly id: string; readonly atMs: number }>;
}

/** One login of a client. */
export interface Seen {
  readonly device: Device;
  readonly line: Line;
  /** The id that the page has stored on it. */
  readonly storedId: string;
  /** Whether that id is new: nothing was stored. */
  readonly isFresh: boolean;
}

/** The addresses that companies share. */
export function companiesOf(random: Random): readonly Line[] {
  return Array.from({ length: companies }, () => {
    const operator = operatorOf(random, homeCountry, 'company');
    return { operator, address: addressIn(random, operator, regionOf(random)) };
  });
}

export function newClient(
  random: Random,
  { name, worked, spanMs }: { readonly name: string; readonly worked: readonly Line[]; readonly spanMs: number },
): Client {
  const country = random() < shares.livesAbroad ? pickZipf(random, nearCountries) : homeCountry;
  const owned = new Map<Role, Owned>();
  const own = (role: Role, os: Os, lifeMs: number): void => {
    owned.set(role, ownedFrom(random, { os, id: `${name}-${role}`, atMs: worldBeginMs, lifeMs }));
  };
  own('phone', pickShare<Os>(random, phones)[0], phoneLifeMs);
  if (random() < shares.hasComputer) own('computer', pickShare<Os>(random, computers)[0], computerLifeMs);
  if (random() < shares.hasTablet) own('tablet', 'iOS', computerLifeMs);
  const tripAtMs = worldBeginMs + random() * spanMs;
  const tripMs = between(random, ...tripDays) * dayMs;
  const vpnShare = random();
  const computer = owned.get('computer')?.device;
  const isTwice = computer !== undefined && random() < shares.secondBrowser;
  return {
    name,
    country,
    region: regionOf(random),
    gapMs: Math.exp(normal(random, Math.log(gapDays), gapSpread)) * dayMs,
    usualHour: between(random, 8, 21),
    home: {
      operator: operatorOf(random, country, 'home'),
      leaseMs: leases[between(random, 0, leases.length - 1)]! * dayMs,
      seed: between(random, 0, 1_000_000),
    },
    mobile: operatorOf(random, country, 'mobile'),
    work: country === homeCountry && random() < shares.hasWork ? pickZipf(random, worked) : undefined,
    vpn: vpnOf(random, country, vpnShare),
    trip:
      random() < shares.tripsInTime
        ? { country: pickZipf(random, nearCountries), fromMs: tripAtMs, untilMs: tripAtMs + tripMs }
        : undefined,
    secondBrowser: isTwice ? newDevice(random, computer.os, `${name}-second`) : undefined,
    owned,
    stored: new Map(),
  };
}

function vpnOf(random: Random, country: string, drawn: number): Client['vpn'] {
  const exit = random() < 0.5 ? country : 'US';
  if (drawn < shares.usesVpn) return { operator: operatorOf(random, exit, 'hosting'), share: logins.overVpn };
  if (drawn < shares.usesVpn + shares.triesVpn)
    return { operator: operatorOf(random, exit, 'hosting'), share: logins.overTriedVpn };
  return undefined;
}

function ownedFrom(
  random: Random,
  of: { readonly os: Os; readonly id: string; readonly atMs: number; readonly lifeMs: number },
): Owned {
  return { device: newDevice(random, of.os, of.id), untilMs: of.atMs + exponential(random, of.lifeMs) };
}

/** The next time that the client logs in: at its usual hours on most days. */
export function nextLoginMs(random: Random, { gapMs, usualHour }: Client, afterMs: number): number {
  const day = Math.floor((afterMs + localOffsetMs + exponential(random, gapMs)) / dayMs);
  return timeOn(random, day, random() < atUsualHours ? usualHour : undefined);
}

/** A time on a local day: near an hour, or at any time of the day that people are awake. */
export function timeOn(random: Random, day: number, usualHour: number | undefined): number {
  const hour = usualHour === undefined ? 7 + random() * 17 : normal(random, usualHour, usualSpreadHours);
  return day * dayMs + Math.min(23.99, Math.max(0, hour)) * hourMs - localOffsetMs;
}

export function localDayOf(atMs: number): number {
  return Math.floor((atMs + localOffsetMs) / dayMs);
}

/** With what and from where the client logs in. */
export function see(random: Random, client: Client, atMs: number): Seen {
  const { trip, vpn, secondBrowser } = client;
  const isAway = trip !== undefined && atMs >= trip.fromMs && atMs < trip.untilMs;
  const role = isAway ? 'phone' : roleOf(random, client);
  let device = deviceAt(random, { client, role, atMs });
  if (role === 'computer' && secondBrowser !== undefined && random() < logins.withSecondBrowser) device = secondBrowser;
  if (random() < logins.borrowed)
    device = newDevice(random, pickShare<Os>(random, computers)[0], `${client.name}-borrowed-${atMs}`);
  const isCleared = random() < logins.storageCleared;
  const { storedId, isFresh } = readStorage(client, device, { atMs, isCleared });
  if (vpn !== undefined && random() < vpn.share) {
    return { device, storedId, isFresh, line: lineOf(random, vpn.operator, 0) };
  }
  const line = isAway ? lineAway(random, client, trip.country) : lineAtHome(random, client, { role, atMs });
  return { device, storedId, isFresh, line };
}

/** The stored id of the device; a private window or a cleared browser has another one for this login. */
function readStorage(
  { stored }: Client,
  { id, browser }: Device,
  { atMs, isCleared }: { readonly atMs: number; readonly isCleared: boolean },
): { readonly storedId: string; readonly isFresh: boolean } {
  if (isCleared) return { storedId: `${id}-once-${atMs}`, isFresh: true };
  const before = stored.get(id);
  const isKept = before !== undefined && !(browser === 'Safari' && atMs - before.atMs > safariForgetsMs);
  const storedId = isKept ? before.id : `${id}-${atMs}`;
  stored.set(id, { id: storedId, atMs });
  return { storedId, isFresh: !isKept };
}

function roleOf(random: Random, { owned }: Client): Role {
  const drawn = random();
  if (drawn < 0.3 && owned.has('computer')) return 'computer';
  return drawn > 0.93 && owned.has('tablet') ? 'tablet' : 'phone';
}

/** The device of this role, replaced if its time is over. */
function deviceAt(
  random: Random,
  { client: { owned, name }, role, atMs }: { readonly client: Client; readonly role: Role; readonly atMs: number },
): Device {
  let now = owned.get(role)!;
  for (let replaced = 0; now.untilMs <= atMs; replaced++) {
    const options = role === 'computer' ? computers : phones;
    const os = role === 'tablet' || random() < sameSystem ? now.device.os : pickShare<Os>(random, options)[0];
    const lifeMs = role === 'phone' ? phoneLifeMs : computerLifeMs;
    now = ownedFrom(random, { os, id: `${name}-${role}-${now.untilMs}-${replaced}`, atMs: now.untilMs, lifeMs });
    owned.set(role, now);
  }
  return now.device;
}

/** On a trip: the phone's own network, which keeps its addresses at home, or a line at the place. */
function lineAway(random: Random, { mobile }: Client, country: string): Line {
  return random() < 0.5
    ? lineOf(random, mobile, 0)
    : lineOf(random, operatorOf(random, country, 'home'), regionOf(random));
}

function lineAtHome(
  random: Random,
  client: Client,
  { role, atMs }: { readonly role: Role; readonly atMs: number },
): Line {
  const { country, home, mobile, region, work } = client;
  const drawn = random();
  if (role === 'phone' && drawn < 0.4) return lineOf(random, mobile, 0);
  if (work !== undefined && drawn > 0.8) return work;
  // A café, a shop, the line of friends.
  if (drawn < 0.45) return lineOf(random, operatorOf(random, country, 'home'), region);
  const lease = Math.floor((atMs + home.seed) / home.leaseMs);
  return { operator: home.operator, address: leasedAddress(home, { region, lease }) };
}

function lineOf(random: Random, operator: Operator, region: number): Line {
  return { operator, address: addressIn(random, operator, region) };
}

/** The same address as long as the lease lasts. */
function leasedAddress(
  { operator, seed }: Client['home'],
  { region, lease }: { readonly region: number; readonly lease: number },
): string {
  let state = Math.imul(seed + 1, 0x9e37_79b1) ^ Math.imul(lease + 1, 0x85eb_ca6b);
  const next: Random = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x6d2b_79f5;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
  return addressIn(next, operator, region);
}
