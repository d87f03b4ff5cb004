import { subnetOf } from '@ringfence/contract';
import { finished, textHash } from '../bytes/text-hash.ts';
import type { EventRecord } from '../record.ts';

/** Three values, each within the one before: hashes, the widest first. */
export type Chain = readonly number[];

/** What a login shows of its client's habits. A part is `undefined` if it is not known. */
export interface ShownLogin {
  /** Country, network, address. */
  readonly place: Chain | undefined;
  /** Operating system, browser, user agent. */
  readonly software: Chain | undefined;
  /** 0 to 23, in the workspace's time zone. */
  readonly hour: number | undefined;
}

type EnrichmentFacts = EventRecord['enrichment']['facts'];

const placeRoot = textHash('place');
const softwareRoot = textHash('software');
const noSoftware = chain(softwareRoot, ['none', 'none', 'none']);

/**
 * @param hour in the workspace's time zone, if it is known
 * @param tokenRepeats whether the device token came with an earlier login: then it shows another device's software
 */
export function shownLogin(facts: EnrichmentFacts, hour: number | undefined, tokenRepeats: boolean): ShownLogin {
  return { place: placeOf(facts), software: softwareOf(facts, tokenRepeats), hour };
}

/**
 * The network is that of the operator if it is known: a phone has another address each day, and the same operator. An
 * IPv6 line changes its address within its subnet.
 */
function placeOf(facts: EnrichmentFacts): Chain | undefined {
  const address = facts['ip.address'];
  if (typeof address !== 'string') return undefined;
  const network = facts['ip.asn'] ?? facts['ip.network'];
  const line = address.includes(':') ? (subnetOf(address) ?? address) : address;
  return chain(placeRoot, [facts['ip.country'], network, line]);
}

/** A login without valid device data, in a channel whose logins should have some, shows software of its own kind. */
function softwareOf(facts: EnrichmentFacts, tokenRepeats: boolean): Chain | undefined {
  const state = facts['device.state'];
  if (state === undefined) return undefined;
  if (state !== 'present' || tokenRepeats) return noSoftware;
  return chain(softwareRoot, [facts['device.os'], facts['device.browser'], facts['device.userAgent']]);
}

type Value = string | number | boolean | undefined;

function chain(root: number, [widest, middle, finest]: readonly [Value, Value, Value]): Chain {
  const first = within(root, widest);
  const second = within(first, middle);
  return [first, second, within(second, finest)];
}

/** The hash of a value within a wider one: equal values within different ones differ. */
function within(wider: number, value: Value): number {
  const own = typeof value === 'number' ? value | 0 : textHash(`${value ?? ''}`);
  return finished(Math.imul(wider, 31) ^ own);
}
