import type { Event } from '../../api/operations.generated.ts';

export interface Habits {
  /** Events by weekday (0: Monday) and hour, in the time zone of the workspace. */
  readonly hours: readonly (readonly number[])[];
  /** Amounts of operations with their times by currency, newest first. */
  readonly amounts: ReadonlyMap<
    string,
    readonly { readonly atMs: number; readonly amount: number; readonly fired: boolean }[]
  >;
}

/** Activity by hour and amounts, computed from a list of events. */
export function habitsOf(events: readonly Event[], timeZone: string): Habits {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' });
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const hours = days.map(() => Array.from({ length: 24 }, () => 0));
  const amounts = new Map<string, { atMs: number; amount: number; fired: boolean }[]>();
  for (const event of events) {
    const at = parts.formatToParts(new Date(event.eventAt ?? event.loggedAt));
    const day = days.indexOf(at.find(({ type }) => type === 'weekday')?.value ?? '');
    const hour = Number(at.find(({ type }) => type === 'hour')?.value);
    const row = hours[day];
    if (row !== undefined) row[hour] = (row[hour] ?? 0) + 1;
    if (event.amount === undefined) continue;
    const currency = event.currency ?? '';
    const list = amounts.get(currency) ?? [];
    list.push({
      atMs: Date.parse(event.eventAt ?? event.loggedAt),
      amount: Number(event.amount),
      fired: event.fired.length > 0,
    });
    amounts.set(currency, list);
  }
  return { hours, amounts };
}
