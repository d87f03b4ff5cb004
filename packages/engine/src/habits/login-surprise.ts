import { log2 } from '../devices/log2.ts';
import type { LoginCounts } from './login-counts.ts';
import type { ShownLogin } from './shown-login.ts';

/** The bits of a login, and of its parts; a part is `undefined` if it, or the client's history of it, is not known. */
export interface LoginSurprise {
  /** The sum of the parts; `undefined` without any. */
  readonly total: number | undefined;
  readonly place: number | undefined;
  readonly software: number | undefined;
  readonly hour: number | undefined;
}

/**
 * Weights of country, network and address; of system, browser and agent: 1, 1 and 1/4, because the last ones change
 * without a reason. The hour has 1/2. A weight is a power of the odds, here a number of square roots.
 */
const levelRoots = [0, 0, 2] as const;
const hourRoots = 1;
/** How many logins of everybody the own share begins with: few, because a client has few habits. */
const backOff = 0.5;
/** Before anything was shown, everybody's share is this many logins of one more. */
const unseenLogins = 0.5;
/** Bits are rounded to hundredths: more digits mean nothing. */
const perBit = 100;

/**
 * How much better a login fits an attacker than its client, in bits: each further bit doubles the odds. Of each value
 * that it shows, `weight x log2(attackers' share / own share)`, where
 *
 * - the own share is that among the client's logins with the same wider value (the network within the country), backed
 *   off to everybody's by `backOff` logins, so that it is never 0;
 * - the attackers' share is not known without labels. They use what everybody uses, but more evenly, because they work
 *   from everywhere: the square root of everybody's share, halfway between everybody's share and no preference at all.
 *
 * A value that the client never shows costs about log2(2 x logins) bits, and more if it is rare among everybody; what
 * lies within it costs only for being rare. A usual login is negative.
 *
 * Source: Freeman et al., Who Are You? A Statistical Approach to Measuring User Authenticity, NDSS 2016
 */
export function loginSurprise(
  shown: ShownLogin,
  own: LoginCounts | undefined,
  everybody: LoginCounts,
): LoginSurprise | undefined {
  if (own === undefined) return undefined;
  const place = placeBits(shown.place, own, everybody);
  const software = softwareBits(shown.software, own, everybody);
  const hour = hourBits(shown.hour, own, everybody);
  const isAny = place !== undefined || software !== undefined || hour !== undefined;
  return {
    total: isAny ? rounded((place ?? 0) + (software ?? 0) + (hour ?? 0)) : undefined,
    place: place === undefined ? undefined : rounded(place),
    software: software === undefined ? undefined : rounded(software),
    hour: hour === undefined ? undefined : rounded(hour),
  };
}

function placeBits(place: ShownLogin['place'], own: LoginCounts, everybody: LoginCounts): number | undefined {
  if (place === undefined || own.places === 0) return undefined;
  return chainBits({ own, ofOwn: own.places, everybody, ofEverybody: everybody.places }, place);
}

function softwareBits(software: ShownLogin['software'], own: LoginCounts, everybody: LoginCounts): number | undefined {
  if (software === undefined || own.software === 0) return undefined;
  return chainBits({ own, ofOwn: own.software, everybody, ofEverybody: everybody.software }, software);
}

/** Both counts, and the logins that have the part. */
interface Compared {
  readonly own: LoginCounts;
  readonly ofOwn: number;
  readonly everybody: LoginCounts;
  readonly ofEverybody: number;
}

function chainBits(compared: Compared, chain: readonly number[]): number {
  const { own, everybody } = compared;
  let { ofOwn, ofEverybody } = compared;
  let odds = 1;
  for (let level = 0; level < chain.length; level++) {
    const [ownCount, everybodysCount] = [own.countOf(chain[level]!), everybody.countOf(chain[level]!)];
    const share = everybodys(everybodysCount, ofEverybody);
    odds *= rooted(squaredOdds(ownCount, ofOwn, share), levelRoots[level]!);
    ofOwn = ownCount;
    ofEverybody = everybodysCount;
  }
  return log2(odds) / 2;
}

/** An hour before or after is the same habit. */
function hourBits(hour: number | undefined, own: LoginCounts, everybody: LoginCounts): number | undefined {
  if (hour === undefined || own.timed === 0) return undefined;
  const share = everybodys(near(everybody.hours, hour), everybody.timed);
  return log2(rooted(squaredOdds(near(own.hours, hour), own.timed, share), hourRoots)) / 2;
}

function near(hours: readonly number[], hour: number): number {
  return hours[(hour + 23) % 24]! + hours[hour]! + hours[(hour + 1) % 24]!;
}

/** Everybody's share of a value among the logins with the wider value. */
function everybodys(count: number, of: number): number {
  return (Math.min(count, of) + unseenLogins) / (of + 2 * unseenLogins);
}

/** The attackers' share over the own share, squared: everybody's share needs no root then. */
function squaredOdds(count: number, of: number, everybodysShare: number): number {
  const own = (count + backOff * everybodysShare) / (of + backOff);
  return everybodysShare / (own * own);
}

/** Square roots are exact, so they are the same on every machine. */
function rooted(odds: number, roots: number): number {
  let root = odds;
  for (let taken = 0; taken < roots; taken++) root = Math.sqrt(root);
  return root;
}

function rounded(bits: number): number {
  return Math.round(bits * perBit) / perBit;
}
