import { dayMs, isDateAlone, parseIsoDate } from '@ringfence/contract';
import { localTime } from '@ringfence/policy';
import type { EventContext } from './event-context.ts';

/**
 * Whether it is known when the event happened. An event that states no time is sent as it happens, and so is one that
 * states the day of its arrival; the arrival of an event with any other time that is not plausible says nothing.
 */
export function isTimeKnown({
  arrival,
  event,
  timezone,
}: Pick<EventContext, 'arrival' | 'event' | 'timezone'>): boolean {
  if (arrival.timeStated) return true;
  const { enrichment, logTimeMs } = arrival.record;
  if (enrichment.statedAtMs !== undefined) return false;
  const stated = event.timestamp ?? (event.kind === 'operation' ? event.transaction?.date : undefined);
  if (stated === undefined || !isDateAlone(stated)) return true;
  const date = parseIsoDate(stated);
  return typeof date !== 'string' && dayOf(date.localMs) === dayOf(localTime(logTimeMs, timezone) ?? logTimeMs);
}

function dayOf(localMs: number): number {
  return Math.floor(localMs / dayMs);
}
