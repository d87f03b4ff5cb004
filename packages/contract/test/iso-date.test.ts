import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoDatePattern, parseIsoDate } from '../src/iso-date.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('parseIsoDate', () => {
  it.each([
    ['2026-11-21T10:15:30', Date.UTC(2026, 10, 21, 10, 15, 30), undefined],
    ['2026-11-21T10:15', Date.UTC(2026, 10, 21, 10, 15), undefined],
    ['2026-11-21', Date.UTC(2026, 10, 21), undefined],
    ['20261121', Date.UTC(2026, 10, 21), undefined],
    ['20261121T101530', Date.UTC(2026, 10, 21, 10, 15, 30), undefined],
    ['20261121T1015', Date.UTC(2026, 10, 21, 10, 15), undefined],
    ['20261121T101530,5-0600', Date.UTC(2026, 10, 21, 10, 15, 30, 500), -6 * hour],
    ['2026-11-21T10:15:30Z', Date.UTC(2026, 10, 21, 10, 15, 30), 0],
    ['2026-11-21 10:15:30', Date.UTC(2026, 10, 21, 10, 15, 30), undefined],
    ['2026-11-21 10:15:30.25-06:00', Date.UTC(2026, 10, 21, 10, 15, 30, 250), -6 * hour],
    ['20261121 101530Z', Date.UTC(2026, 10, 21, 10, 15, 30), 0],
    ['2026-11-21t10:15:30z', Date.UTC(2026, 10, 21, 10, 15, 30), 0],
    ['2026-11-21T10:15Z', Date.UTC(2026, 10, 21, 10, 15), 0],
    ['2026-11-21T10:15:30.1Z', Date.UTC(2026, 10, 21, 10, 15, 30, 100), 0],
    ['2026-11-21T10:15:30.123456789+05:30', Date.UTC(2026, 10, 21, 10, 15, 30, 123), 5.5 * hour],
    ['2026-11-21T10:15:30.999999Z', Date.UTC(2026, 10, 21, 10, 15, 30, 999), 0],
    ['2026-11-21T10:15:30-06', Date.UTC(2026, 10, 21, 10, 15, 30), -6 * hour],
    ['2026-11-21T10:15:30+18:59', Date.UTC(2026, 10, 21, 10, 15, 30), 18 * hour + 59 * minute],
    ['2026-11-21T10:15:30.123456789', Date.UTC(2026, 10, 21, 10, 15, 30, 123), undefined],
    ['2026-11-21T10:15:30+0000', Date.UTC(2026, 10, 21, 10, 15, 30), 0],
    ['2026-11-21T10:15:30-00:00', Date.UTC(2026, 10, 21, 10, 15, 30), 0],
    ['2024-02-29T00:00:00', Date.UTC(2024, 1, 29), undefined],
    ['2000-02-29', Date.UTC(2000, 1, 29), undefined],
    ['2000-01-01T00:00:00Z', Date.UTC(2000, 0, 1), 0],
    ['2099-12-31T23:59:59.999Z', Date.UTC(2099, 11, 31, 23, 59, 59, 999), 0],
  ])('reads %s', (text, localMs, offsetMs) => {
    expect(parseIsoDate(text)).toEqual({ localMs, offsetMs });
  });

  it.each([
    ['2026-W47-6', /Week/],
    ['2026W476T101530', /Week/],
    ['2026-325', /Ordinal/],
    ['2026325', /Ordinal/],
    ['2026-325T10:15:30Z', /Ordinal/],
    ['1999-12-31T23:59:59Z', /year/],
    ['2100-01-01T00:00:00Z', /year/],
    ['0001-01-01T00:00:00', /year/],
    ['2026-02-29', /calendar/],
    ['2026-13-01', /calendar/],
    ['2026-00-10', /calendar/],
    ['2026-04-31', /calendar/],
    ['2026-04-00', /calendar/],
    ['2026-11-21_10:15:30', /a time/],
    ['2026-11-21  10:15:30', /complete/],
    ['2026-11-21 T10:15:30', /complete/],
    ['2026-11-21 ', /complete/],
    ['2026-11-21T', /complete/],
    ['2026-11-21T10', /complete/],
    ['2026-11-21T1015', /complete/],
    ['2026-11-21T10:1', /complete/],
    ['2026-11-21T10:15:3', /complete/],
    ['20261121T10:15:30', /complete/],
    ['2026-11-21T24:00:00', /time of day/],
    ['2026-11-21T10:60:00', /time of day/],
    ['2026-11-21T23:59:60Z', /time of day/],
    ['2026-11-21T10:15:30.', /fraction/],
    ['2026-11-21T10:15:30.1234567890Z', /fraction/],
    ['2026-11-21T10:15:30 Z', /not a zone/],
    ['2026-11-21T10:15:30ZZ', /not a zone/],
    ['2026-11-21T10:15:30.5x', /not a zone/],
    ['2026-11-21T10:15:30 America/Mexico_City', /not a zone/],
    ['2026-11-21T10:15:30+6', /±hh:mm/],
    ['2026-11-21T10:15:30+06:0', /±hh:mm/],
    ['2026-11-21T10:15:30+06:000', /±hh:mm/],
    ['2026-11-21T10:15:30+19:00', /such zone/],
    ['2026-11-21T10:15:30+06:60', /such zone/],
    ...[
      '',
      'x',
      '21/11/2026',
      '11-21-2026',
      '2026/11/21',
      '1795256130',
      '1795256130000',
      '+002026-11-21',
      '-2026-11-21',
    ].map((text): [string, RegExp] => [text, /not an ISO 8601 date|calendar|year|a time/]),
    ...['2026-1-2', '26-11-21', '2026-11', '2026', 'Sat, 21 Nov 2026 10:15:30 GMT', '２０２６-11-21', '2026‑11‑21'].map(
      (text): [string, RegExp] => [text, /not an ISO 8601 date/],
    ),
  ])('refuses %s', (text, reason) => {
    expect(parseIsoDate(text)).toMatch(reason);
  });

  it('accepts the same calendar days as Date', () => {
    const wrong: string[] = [];
    for (let dayMs = Date.UTC(2000, 0, 1); dayMs < Date.UTC(2100, 0, 1); dayMs += 24 * hour) {
      const text = new Date(dayMs).toISOString().slice(0, 10);
      const read = parseIsoDate(text);
      if (typeof read === 'string' || read.localMs !== dayMs) wrong.push(text);
      const isLast = new Date(dayMs + 24 * hour).getUTCDate() === 1;
      const next = `${text.slice(0, 8)}${Number(text.slice(8)) + 1}`;
      if (isLast && typeof parseIsoDate(next) !== 'string') wrong.push(next);
    }
    expect(wrong).toEqual([]);
  });

  it('parses every instant as printed by Date', () => {
    const instant = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2099-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, (date) => {
        expect(parseIsoDate(date.toISOString())).toEqual({ localMs: date.getTime(), offsetMs: 0 });
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });
});

describe('isoDatePattern', () => {
  const pattern = new RegExp(isoDatePattern);
  const digits = (count: number) =>
    fc.string({
      unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'),
      minLength: count,
      maxLength: count,
    });
  const optional = (part: fc.Arbitrary<string>) => fc.option(part, { nil: '' });
  const oneOf = (...choices: readonly string[]) => fc.constantFrom(...choices);
  const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
  const mark = oneOf('-', ':', '');
  /** Parts of dates, mostly in a right order: about one in four is a date. */
  const almostDate = joined(
    oneOf('20', '2026', '1999').chain((year) => digits(4 - year.length).map((rest) => year + rest)),
    oneOf('-', ''),
    oneOf('01', '12', '13'),
    oneOf('-', ''),
    oneOf('01', '28', '31'),
    optional(
      joined(
        oneOf('T', 't', ' '),
        digits(2),
        mark,
        digits(2),
        optional(joined(mark, digits(2))),
        optional(joined(oneOf('.', ','), fc.integer({ min: 0, max: 10 }).chain(digits))),
        optional(oneOf('Z', 'z', '+06', '-0600', '+05:30', '+6')),
      ),
    ),
  );

  it('matches every date that the parser accepts', () => {
    fc.assert(
      fc.property(almostDate, (text) => {
        expect(pattern.test(text) || typeof parseIsoDate(text) === 'string').toBe(true);
      }),
      { numRuns: 5_000, seed: 1 },
    );
  });

  it.each(['', '2026-11-21', '20261121T1015', '2026-11-21t10:15:30,5-0600'])('matches "%s"', (text) => {
    expect(pattern.test(text)).toBe(true);
  });

  it.each(['yesterday', '1999-12-31', '2026-11-21T10:15:30Z ', '2026-325', '1795256130'])(
    'does not match "%s"',
    (text) => {
      expect(pattern.test(text)).toBe(false);
    },
  );
});
