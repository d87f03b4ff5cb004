const minuteMs = 60_000;

/** An instant as a browser's field for a time has it (`2026-11-22T08:05`), on the clocks of a zone. */
export function zonedText(iso: string, timeZone: string): string {
  const atMs = Date.parse(iso);
  return new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 16);
}

/** The instant that such a text means on the clocks of a zone; of an hour that comes twice, the first. */
export function zonedInstant(text: string, timeZone: string): string {
  const clockMs = Date.parse(`${text}Z`);
  // The offset of an instant near it is its own, or that of the other side of a change of the clocks.
  const before = clockMs - offsetMs(clockMs - 24 * 60 * minuteMs, timeZone);
  const isRight = before + offsetMs(before, timeZone) === clockMs;
  return new Date(isRight ? before : clockMs - offsetMs(clockMs, timeZone)).toISOString();
}

/** What the clocks of a zone are ahead of UTC at an instant. */
function offsetMs(atMs: number, timeZone: string): number {
  const minuteAtMs = Math.floor(atMs / minuteMs) * minuteMs;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(minuteAtMs);
  const of = (name: string): string => parts.find(({ type }) => type === name)?.value ?? '';
  return Date.parse(`${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}Z`) - minuteAtMs;
}
