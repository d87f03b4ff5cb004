import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import type { BusinessHours } from '../values/business-hours.ts';
import { daysOf } from '../values/timestamp.ts';

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** More than any calendar of some years has. */
const holidaysMax = 500;
const example = 'hours: { days: mon-fri, from: "08:00", to: "18:00" }';

/** `{ days: mon-fri, from: "08:00", to: "18:00", holidays: [2026-12-25] }` */
export function readBusinessHours(item: Item): BusinessHours | undefined {
  const fields = item.fields('hours', ['days', 'from', 'to', 'holidays']);
  if (fields === undefined) return undefined;
  const days = item.required(fields.days, ['hours has no days', example], readDays);
  const fromMs = item.required(fields.from, ['hours has no beginning', example], readTime);
  const toMs = item.required(fields.to, ['hours has no end', example], readTime);
  const holidays = fields.holidays === undefined ? new Set<number>() : readHolidays(fields.holidays);
  if (days === undefined || fromMs === undefined || toMs === undefined || holidays === undefined) return undefined;
  if (fromMs >= toMs) return item.fail('hours end before they begin', example);
  return { days, fromMs, toMs, holidays };
}

/** `mon-fri`, `sat`, or both: `mon-thu, sat`. */
function readDays(item: Item): ReadonlySet<number> | undefined {
  const expected = 'mon-fri, or mon-thu, sat';
  const text = item.word('days', expected);
  if (text === undefined) return undefined;
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const [first, last = first] = part.trim().split('-');
    const [from, to] = [names.findIndex((name) => name === first), names.findIndex((name) => name === last)];
    if (from < 0 || to < 0) return item.fail(`${part.trim()} is no day`, expected);
    for (let day = from; ; day = (day + 1) % names.length) {
      days.add(day);
      if (day === to) break;
    }
  }
  return days;
}

/** `08:00` to `24:00` */
function readTime(item: Item): number | undefined {
  const expected = 'a time such as "08:00", or "24:00" for the end of the day';
  const text = item.word('the time', expected);
  if (text === undefined) return undefined;
  const match = /^(\d{1,2}):([0-5]\d)$/.exec(text);
  const ms = match === null ? dayMs + 1 : Number(match[1]) * hourMs + Number(match[2]) * minuteMs;
  return ms > dayMs ? item.fail(`${text} is no time of the day`, expected) : ms;
}

function readHolidays(item: Item): ReadonlySet<number> | undefined {
  const items = item.list('holidays', holidaysMax);
  if (items === undefined) return undefined;
  const days = items.map((one) => {
    const expected = 'a date such as 2026-12-25';
    const text = one.word('the holiday', expected);
    if (text === undefined) return undefined;
    const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
    const day = match === null ? undefined : daysOf(Number(match[1]), Number(match[2]), Number(match[3]));
    return day ?? one.fail(`${text} is no date`, expected);
  });
  const known = days.filter((day) => day !== undefined);
  return known.length < days.length ? undefined : new Set(known);
}
