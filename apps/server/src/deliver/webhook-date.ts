const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      timeZoneName: 'longOffset',
    });
    formats.set(timezone, format);
  }
  return format;
}

/**
 * An instant in ISO 8601 in the workspace's time zone: `2026-11-21T06:30:00.000-06:00`, or without the offset for
 * receivers that expect a local time.
 *
 * @param timezone an IANA zone
 */
export function webhookDate(atMs: number, timezone: string, style: 'zone' | 'local'): string {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}:${part('second')}.${part('fractionalSecond')}`;
  if (style === 'local') return `${date}T${time}`;
  const offset = part('timeZoneName').slice('GMT'.length);
  return `${date}T${time}${offset === '' ? '+00:00' : offset}`;
}
