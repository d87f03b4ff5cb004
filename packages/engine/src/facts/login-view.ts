import { type DeviceClaim, recognise, type Recognition, Shown } from '../devices/recognise.ts';
import type { BrowserVersions } from '../devices/browser-versions.ts';
import type { TraitStatistics } from '../devices/trait-statistics.ts';
import { hourOfDay } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { EverybodysLogins } from '../habits/everybodys-logins.ts';
import { type LoginSurprise, loginSurprise } from '../habits/login-surprise.ts';
import { shownLogin, type ShownLogin } from '../habits/shown-login.ts';
import type { Place } from '../network/familiar-places.ts';
import { type Travel, travelBetween } from '../network/travel.ts';
import type { EventRecord } from '../record.ts';

/** The device and place of a login, compared with what is known of its client. */
export interface LoginView {
  /** `undefined` without a token that names or shows a device. */
  readonly device: { readonly claim: DeviceClaim; readonly recognition: Recognition } | undefined;
  readonly place: Place;
  /**
   * Since the last login with a known place; `undefined` if there is none, or the address is anonymous or of a hosting
   * provider.
   */
  readonly travel: Travel | undefined;
  /** The browser stated by the token; `undefined` without a token in state `present`. */
  readonly browser: Browser | undefined;
  /** Major versions that it is behind; `undefined` if no version is known to be in use. */
  readonly browserBehind: number | undefined;
  /** What it shows of the client's habits; `undefined` if no policy reads how surprising logins are. */
  readonly shown: ShownLogin | undefined;
  /** `undefined` without `shown`, and for a client without such a history. */
  readonly surprise: LoginSurprise | undefined;
}

export interface Browser {
  readonly name: string;
  readonly version: number;
}

/** What a workspace has learned about devices and logins. */
export interface Learned {
  readonly traits: TraitStatistics;
  readonly browsers: BrowserVersions;
  readonly everybody: EverybodysLogins;
}

export function viewLogin(
  { traits, browsers, everybody }: Learned,
  { record: { enrichment, logTimeMs }, atMs }: { readonly record: EventRecord; readonly atMs: number },
  of: {
    readonly client: ClientEntity | undefined;
    readonly tokenRepeats: boolean;
    /** Whether it is known when the login happened: otherwise it is no end of a journey. */
    readonly timeKnown: boolean;
    readonly timezone: string;
    /** Whether to judge how surprising it is. */
    readonly isSurpriseRead: boolean;
  },
): LoginView {
  const place = placeOf(enrichment.facts, of.timeKnown ? atMs : undefined);
  const claim = of.tokenRepeats ? undefined : claimOf(enrichment.facts);
  const last = of.client?.places.stop;
  const shown = of.isSurpriseRead
    ? shownLogin(enrichment.facts, of.timeKnown ? hourOfDay(atMs, of.timezone) : undefined, of.tokenRepeats)
    : undefined;
  const browser = of.tokenRepeats ? undefined : browserOf(enrichment.facts);
  return {
    device: claim && { claim, recognition: recognise(of.client?.devices ?? [], claim, traits) },
    place,
    travel: last === undefined || place.stop === undefined ? undefined : travelBetween(last, place.stop),
    browser,
    browserBehind: browser && browsers.behind(browser.name, browser.version, logTimeMs),
    shown,
    surprise: shown && loginSurprise(shown, of.client?.habits, everybody),
  };
}

type EnrichmentFacts = EventRecord['enrichment']['facts'];

function claimOf(facts: EnrichmentFacts): DeviceClaim | undefined {
  if (facts['device.state'] !== 'present') return undefined;
  const id = textOf(facts['device.id']);
  const key = textOf(facts['device.key']);
  const unprovedId = textOf(facts['device.unprovedId']);
  const text = textOf(facts['device.components']);
  const shown = text === undefined ? undefined : new Shown(text);
  const proved = id === undefined ? undefined : { id, key: key ?? '', isFresh: facts['device.idFresh'] === true };
  return proved === undefined && unprovedId === undefined && shown === undefined
    ? undefined
    : { proved, unprovedId, shown };
}

function browserOf(facts: EnrichmentFacts): Browser | undefined {
  const name = textOf(facts['device.browser']);
  const version = numberOf(facts['device.browserVersion']);
  return facts['device.state'] !== 'present' || name === undefined || version === undefined
    ? undefined
    : { name, version };
}

function placeOf(facts: EnrichmentFacts, atMs: number | undefined): Place {
  const latitude = numberOf(facts['ip.latitude']);
  const longitude = numberOf(facts['ip.longitude']);
  const isElsewhere = facts['ip.anonymous'] === true || facts['ip.hosting'] === true;
  return {
    address: textOf(facts['ip.address']),
    network: textOf(facts['ip.network']),
    country: textOf(facts['ip.country']),
    stop:
      atMs === undefined || latitude === undefined || longitude === undefined || isElsewhere
        ? undefined
        : { atMs, latitude, longitude, accuracyKm: numberOf(facts['ip.accuracyKm']) ?? 0 },
  };
}

function textOf(value: string | number | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: string | number | boolean | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
