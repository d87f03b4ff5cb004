import { type EpochMs, instantOf, type IsoDate, parseIsoDate, type TimeZone } from '@ringfence/contract';

/** The instant that a cell contains. */
export interface CellTime {
  readonly atMs: EpochMs;
  /** The second instant at which clocks of the zone show it, if they go back over it. */
  readonly againMs?: EpochMs;
}

/** Returns the instant that a cell contains, or a sentence that describes the mistake. */
export type TimeReader = (cell: string, zone: TimeZone) => CellTime | string;

export const timeFormatExpected =
  'iso, epoch-seconds, epoch-milliseconds, or a pattern of YYYY MM DD HH mm ss SSS, like DD/MM/YYYY HH:mm:ss';

/** @returns `undefined` for an unknown format */
export function timeReader(format: string): TimeReader | undefined {
  switch (format) {
    case 'iso':
      return readIso;
    case 'epoch-seconds':
      return (cell) => readEpoch(cell, epochs.seconds);
    case 'epoch-milliseconds':
      return (cell) => readEpoch(cell, epochs.milliseconds);
    default:
      return patternReader(format);
  }
}

/** Like ingest, but also accepts several spaces instead of the T, because tables are aligned with them. */
function readIso(cell: string, zone: TimeZone): CellTime | string {
  const { text, offset } = withoutZone(cell);
  const date = parseIsoDate(text.replace(/^(\d{4}-?\d\d-?\d\d) +(?=\d)/, '$1T') + offset);
  if (typeof date !== 'string') return timeOf(date, zone);
  // Digits that start with a plausible year are a malformed date, not a Unix time.
  return cell.startsWith('20') ? date : (otherEpoch(cell) ?? date);
}

/** Databases print UTC by its name, and a blank before an offset. */
const zoneBehind = /^(.*?\d)(?: +([+-]\d\d(?::?\d\d)?)(?: *(?:UTC|GMT))?| *(?:UTC|GMT|Z))$/i;

/** The offset in the form of ISO 8601; "" if the cell has none, or has it in that form already. */
function withoutZone(cell: string): { readonly text: string; readonly offset: string } {
  const found = zoneBehind.exec(cell);
  return found === null ? { text: cell, offset: '' } : { text: found[1]!.trimEnd(), offset: found[2] ?? 'Z' };
}

function timeOf(date: IsoDate, zone: TimeZone): CellTime {
  const againMs = date.offsetMs === undefined ? zone.secondInstantOf(date.localMs) : undefined;
  const atMs = instantOf(date, zone);
  return againMs === undefined ? { atMs } : { atMs, againMs };
}

/** The years that event dates may have. */
const fromMs = Date.UTC(2000, 0, 1);
const toMs = Date.UTC(2100, 0, 1);
const epochs = { seconds: 1_000, milliseconds: 1 } as const;

function readEpoch(cell: string, unitMs: number): CellTime | string {
  if (!/^\d{1,15}(?:\.\d+)?$/.test(cell)) return 'This is not a number of seconds or milliseconds since 1970.';
  const atMs = Math.floor(Number(cell) * unitMs);
  if (atMs >= fromMs && atMs < toMs) return { atMs: atMs as EpochMs };
  return otherEpoch(cell) ?? 'The year is outside 2000 to 2099.';
}

/** Suggests another unit when the cell is plausible in it: no number is a plausible instant in both units. */
function otherEpoch(cell: string): string | undefined {
  if (!/^\d{9,13}(?:\.\d+)?$/.test(cell)) return undefined;
  for (const [unit, unitMs] of Object.entries(epochs)) {
    const atMs = Number(cell) * unitMs;
    if (atMs >= fromMs && atMs < toMs) return `This looks like ${unit} since 1970: format epoch-${unit}.`;
  }
  return undefined;
}

const parts = { YYYY: '(?<year>\\d{4})', MM: '(?<month>\\d\\d?)', DD: '(?<day>\\d\\d?)', HH: '(?<hour>\\d\\d?)' };
const smallParts = { mm: '(?<minute>\\d\\d)', ss: '(?<second>\\d\\d)', SSS: '(?<fraction>\\d{1,9})' };
const partPatterns: Readonly<Record<string, string>> = { ...parts, ...smallParts };

/** The date is required; an omitted time of day is midnight. */
function patternReader(pattern: string): TimeReader | undefined {
  const used: string[] = [];
  const source = pattern.replaceAll(/YYYY|MM|DD|HH|mm|SSS|ss|[^]/g, (token) => {
    const part = partPatterns[token];
    if (part === undefined) return token.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
    used.push(token);
    return part;
  });
  const isWhole = ['YYYY', 'MM', 'DD'].every((token) => used.includes(token)) && new Set(used).size === used.length;
  if (!isWhole || /[A-Za-z]/.test(pattern.replaceAll(/YYYY|MM|DD|HH|mm|SSS|ss|T/g, ''))) return undefined;
  const expression = new RegExp(`^${source}$`);
  return (cell, zone) => {
    const { text, offset } = withoutZone(cell);
    const found = expression.exec(text)?.groups;
    return found === undefined ? `This is not a date of the form ${pattern}.` : readParts({ ...found, offset }, zone);
  };
}

/** Converts to ISO 8601 first, whose parser checks the calendar. */
function readParts(found: Readonly<Record<string, string>>, zone: TimeZone): CellTime | string {
  const two = (name: string): string => (found[name] ?? '').padStart(2, '0');
  const fraction = found['fraction'] === undefined ? '' : `.${found['fraction']}`;
  const text = `${found['year']}-${two('month')}-${two('day')}T${two('hour')}:${two('minute')}:${two('second')}${fraction}${found['offset'] ?? ''}`;
  const date: IsoDate | string = parseIsoDate(text);
  return typeof date === 'string' ? date : timeOf(date, zone);
}
