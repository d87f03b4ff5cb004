import { assert, type EpochMs, type TimeZone, timeZone } from '@ringfence/contract';

/** An instant as the value of a datetime-local field (`2026-11-22T08:05`) in a time zone. */
export function zonedText(iso: string, zone: string): string {
  const atMs = Date.parse(iso) as EpochMs;
  return new Date(atMs + zoneOf(zone).offsetAt(atMs)).toISOString().slice(0, 16);
}

/** The instant of such a value in a time zone. */
export function zonedInstant(text: string, zone: string): string {
  return new Date(zoneOf(zone).instantOf(Date.parse(`${text}Z`))).toISOString();
}

function zoneOf(name: string): TimeZone {
  const zone = timeZone(name);
  assert(zone !== undefined, 'the browser knows the zone that the service took');
  return zone;
}
