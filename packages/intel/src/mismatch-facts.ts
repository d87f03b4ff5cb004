import { type EpochMs, hourMs, minuteMs, timeZone } from '@ringfence/contract';
import { type Country, countryOf } from './network/country-table.ts';
import type { Facts } from './signal-facts.ts';

/**
 * Whether a device indicates another place than its address: time zone and languages compared with the country. No
 * facts if the country is not that of the person, because the address is a shared exit.
 *
 * @param facts of the address and the device, by path
 */
export function mismatchFacts(facts: Readonly<Facts>, nowMs: number): Facts {
  const found: Facts = {};
  const country = typeof facts['ip.country'] === 'string' ? countryOf(facts['ip.country']) : undefined;
  if (country === undefined || facts['ip.anonymous'] === true) return found;
  const behindMin = facts['device.timezoneOffset'];
  if (typeof behindMin === 'number' && country.zones.length > 0) {
    found['device.timezoneMismatch'] = !offsetsOf(country, nowMs).has(-behindMin);
  }
  const languages = facts['device.languages'];
  if (typeof languages === 'string' && country.languages.length > 0) {
    found['device.languageMismatch'] = !languages.split(',').some((language) => isSpoken(language, country));
  }
  return found;
}

/** Language codes of browsers that the table has under another code. */
const otherNames: Readonly<Record<string, string>> = { no: 'nb', iw: 'he', in: 'id', tl: 'fil', ji: 'yi' };

/** A tag with the region of the country (`es-US`) names the country itself. */
function isSpoken(language: string, { code, languages }: Country): boolean {
  const [base = '', ...parts] = language.trim().toLowerCase().split(/[-_]/);
  if (parts.includes(code.toLowerCase())) return true;
  return base === 'en' || languages.includes(base) || languages.includes(otherNames[base] ?? base);
}

interface Offsets {
  readonly hour: number;
  /** Minutes ahead of UTC. */
  readonly minutes: ReadonlySet<number>;
}

/**
 * By country. Clocks change on the hour or half-hour, so a quarter of an hour of error within a year does not matter.
 */
const known = new Map<string, Offsets>();

function offsetsOf({ code, zones }: Country, nowMs: number): ReadonlySet<number> {
  const hour = Math.floor(nowMs / hourMs);
  const before = known.get(code);
  if (before?.hour === hour) return before.minutes;
  const minutes = new Set(
    zones.flatMap((name) => {
      const zone = timeZone(name);
      return zone === undefined ? [] : [zone.offsetAt(nowMs as EpochMs) / minuteMs];
    }),
  );
  known.set(code, { hour, minutes });
  return minutes;
}
