/**
 * When an alert is due: some time after it was opened, which passes only in business hours if there are any.
 *
 *     opened Fri 17:00, due after 4 h, Mon to Fri 9:00 to 18:00:   Fri 17:00 --1 h--> 18:00 ... Mon 9:00 --3 h--> 12:00
 *
 * Business hours are read from clocks in the workspace's time zone, and the time in them is measured: an interval in
 * which clocks are changed is an hour shorter or longer. An alert that is opened later is never due earlier, so alerts
 * are sorted by their due times when they are sorted by age, whatever the setting is. Nothing is stored.
 */
import { dayMs, minuteMs } from '@ringfence/contract';
import { offsetMsAt } from '@ringfence/policy/zones';
import {
  type BusinessHours,
  clockMinutes,
  weekdays,
  type WorkspaceSettings,
} from '../../tenancy/workspaces/workspace.ts';

/** 1970-01-01, day 0, was a Thursday. */
const firstWeekday = 3;

/** The part of a workspace's settings that says when its alerts are due. */
export type DueSettings = Pick<WorkspaceSettings, 'timezone' | 'alerts'>;

/** `undefined` if alerts of the workspace are never due. */
export function dueAtMs(settings: DueSettings, openedAtMs: number): number | undefined {
  const { dueMinutes, businessHours } = settings.alerts ?? {};
  if (dueMinutes === undefined) return undefined;
  let leftMs = dueMinutes * minuteMs;
  if (businessHours === undefined) return openedAtMs + leftMs;
  for (let day = dayOf(settings.timezone, openedAtMs); ; day++) {
    const open = openOn(settings.timezone, businessHours, day);
    const fromMs = Math.max(open.fromMs, openedAtMs);
    if (fromMs >= open.toMs) continue;
    if (fromMs + leftMs <= open.toMs) return fromMs + leftMs;
    leftMs -= open.toMs - fromMs;
  }
}

/**
 * The latest opening with which an alert is due by now: all that were opened then or earlier are overdue. `undefined`
 * if alerts of the workspace are never due.
 */
export function overdueSinceMs(settings: DueSettings, nowMs: number): number | undefined {
  const { dueMinutes, businessHours } = settings.alerts ?? {};
  if (dueMinutes === undefined) return undefined;
  let leftMs = dueMinutes * minuteMs;
  if (businessHours === undefined) return nowMs - leftMs;
  // The next day has begun already when its clocks are set back over midnight.
  for (let day = dayOf(settings.timezone, nowMs) + 1; ; day--) {
    const open = openOn(settings.timezone, businessHours, day);
    const toMs = Math.min(open.toMs, nowMs);
    if (toMs <= open.fromMs) continue;
    if (toMs - leftMs >= open.fromMs) return toMs - leftMs;
    leftMs -= toMs - open.fromMs;
  }
}

/** The local day of an instant, counted from 1970-01-01. */
function dayOf(zone: string, atMs: number): number {
  return Math.floor((atMs + offsetAt(zone, atMs)) / dayMs);
}

/** The business hours of a local day; empty on other days of the week. */
function openOn(zone: string, { days, from, to }: BusinessHours, day: number): { fromMs: number; toMs: number } {
  const weekday = weekdays[(((day + firstWeekday) % 7) + 7) % 7]!;
  if (!days.includes(weekday)) return { fromMs: 0, toMs: 0 };
  return { fromMs: instantOf(zone, day, clockMinutes(from)), toMs: instantOf(zone, day, clockMinutes(to)) };
}

/**
 * When clocks show a time: for the first time if they show it twice, and at the change if they leave it out.
 *
 * @param minutes of the day, up to 24 hours
 */
function instantOf(zone: string, day: number, minutes: number): number {
  const localMs = day * dayMs + minutes * minuteMs;
  // Zones change their clocks by less than a day, and rarely: one change at most lies between these two.
  const before = offsetAt(zone, localMs - dayMs);
  const after = offsetAt(zone, localMs + dayMs);
  const early = localMs - before;
  if (offsetAt(zone, early) === before) return early;
  const late = localMs - after;
  return offsetAt(zone, late) === after ? late : changeBetween(zone, late, early);
}

/** The instant, to the minute, at which the offset of a zone changes. */
function changeBetween(zone: string, fromMs: number, toMs: number): number {
  const before = offsetAt(zone, fromMs);
  let [low, high] = [Math.floor(fromMs / minuteMs), Math.ceil(toMs / minuteMs)];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (offsetAt(zone, middle * minuteMs) === before) low = middle;
    else high = middle;
  }
  return high * minuteMs;
}

function offsetAt(zone: string, atMs: number): number {
  return offsetMsAt(zone, atMs) ?? 0;
}
