/** A clock change of a zone: the minute since 1970 in UTC, and the offset from then on, in minutes east of UTC. */
export interface Change {
  readonly minute: number;
  readonly offset: number;
}

/**
 * A yearly change: on the first given weekday of a month on or after a day, at a minute of the local clock before the
 * change.
 */
export interface YearlyChange {
  /** From 1. */
  readonly month: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly day: number;
  readonly localMinute: number;
  readonly offset: number;
}

const minutesPerDay = 1_440;
/** Fewer years could agree by chance. */
const yearsMin = 5;

/**
 * The single changes, and the two yearly changes after them, if there are any.
 *
 * @param lastYear the last year for which the source lists all changes
 */
export function splitYearly(
  { first, changes }: { readonly first: number; readonly changes: readonly Change[] },
  lastYear: number,
): { readonly single: readonly Change[]; readonly yearly: readonly YearlyChange[] } {
  const before = (at: number): number => changes[at - 1]?.offset ?? first;
  for (const [at, change] of changes.entries()) {
    const year = yearOf(change);
    const rest = changes.slice(at).map((one, index) => ({ ...one, before: before(at + index) }));
    const isWhole =
      lastYear - year + 1 >= yearsMin &&
      rest.length === 2 * (lastYear - year + 1) &&
      rest.every((one, index) => yearOf(one) === year + (index >> 1));
    if (!isWhole) continue;
    const yearly = [0, 1].map((half) => ruleOf(rest.filter((_, index) => index % 2 === half)));
    const found = yearly.filter((rule) => rule !== undefined);
    if (found.length === yearly.length) return { single: changes.slice(0, at), yearly: found };
  }
  return { single: changes, yearly: [] };
}

/** Days from the first to the last of seven. */
const weekSpan = 6;

/** A change at midnight may belong to the day before, at 24:00: the last Thursday of a month, for example. */
const dayShifts = [0, 1] as const;

function ruleOf(changes: readonly (Change & { readonly before: number })[]): YearlyChange | undefined {
  for (const shift of dayShifts) {
    const seen = changes.map((change) => describe(change, shift));
    const [first] = seen;
    const days = seen.map(({ day }) => day);
    const isOne =
      Math.max(...days) - Math.min(...days) <= weekSpan &&
      seen.every(
        ({ month, weekday, localMinute, offset }) =>
          month === first?.month &&
          weekday === first.weekday &&
          localMinute === first.localMinute &&
          offset === first.offset,
      );
    if (isOne && first !== undefined) return { ...first, day: Math.min(...days) };
  }
  return undefined;
}

function describe({ minute, offset, before }: Change & { readonly before: number }, dayShift: number): YearlyChange {
  const local = new Date((minute + before - dayShift * minutesPerDay) * 60_000);
  return {
    month: local.getUTCMonth() + 1,
    weekday: local.getUTCDay(),
    day: local.getUTCDate(),
    localMinute: local.getUTCHours() * 60 + local.getUTCMinutes() + dayShift * minutesPerDay,
    offset,
  };
}

/** In UTC. */
export function yearOf({ minute }: Change): number {
  return new Date(minute * 60_000).getUTCFullYear();
}
