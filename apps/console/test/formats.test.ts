import { describe, expect, it } from 'vitest';
import { formatsOf, regionalTag } from '../src/format/formats.ts';

describe('formats', () => {
  const mexico = formatsOf('en', 'America/Mexico_City');
  const spanish = formatsOf('es-ES', 'Europe/Madrid');

  it.each([
    ['1234567.10', 'MXN', '1,234,567.10 MXN'],
    ['-0.000001', undefined, '-0.000001'],
    ['123456789012345678.123456', 'CLP', '123,456,789,012,345,678.123456 CLP'],
    ['a lot', undefined, 'a lot'],
    ['a lot', 'MXN', 'a lot MXN'],
    ['8000', 'MXN', '8,000.00 MXN'],
    ['8000', 'JPY', '8,000 JPY'],
    ['8000', undefined, '8,000'],
    ['8000', 'points', '8,000 points'],
  ])('keep every digit of %s %s', (digits, currency, shown) => {
    expect(mexico.amount(digits, currency)).toBe(shown);
  });

  it('format amounts and times by language and time zone', () => {
    expect(spanish.amount('1234567.5', 'EUR')).toBe('1.234.567,50 EUR');
    expect(formatsOf('es-MX', 'America/Mexico_City').amount('25000.00', 'MXN')).toBe('25,000.00 MXN');
    expect(mexico.clock('2026-11-22T02:30:05Z')).toBe('20:30:05');
    expect(spanish.clock('2026-11-22T02:30:05Z')).toBe('3:30:05');
  });

  it('use a 24-hour clock, so that morning and evening are distinct', () => {
    const [morning, evening] = ['2026-11-26T17:56:05Z', '2026-11-27T05:56:05Z'].map((at) => mexico.instant(at));
    expect([morning, evening]).toEqual(['Nov 26, 2026, 11:56:05', 'Nov 26, 2026, 23:56:05']);
    expect(mexico.instant('2026-11-26T06:00:00Z')).toBe('Nov 26, 2026, 00:00:00');
    expect(spanish.instant('2026-11-26T23:00:00Z')).toBe('27 nov 2026, 0:00:00');
  });

  it('format the instants in a sentence of the service and nothing else', () => {
    const sentence = 'ana@bank.example is working on alert 7 until 2026-11-27T05:56:05.123Z, not 2026-11-27 or 1.500.';
    expect(mexico.sentence(sentence)).toBe(
      'ana@bank.example is working on alert 7 until Nov 26, 2026, 23:56:05, not 2026-11-27 or 1.500.',
    );
    expect(spanish.sentence('2026-11-26T23:00:00Z')).toBe('27 nov 2026, 0:00:00');
  });

  it('use the region of the browser, and Mexico for Spanish without one', () => {
    expect(regionalTag('es', ['en-US', 'es-MX', 'es'])).toBe('es-MX');
    expect(regionalTag('es', ['en-US', 'est', 'ES-mx'])).toBe('ES-mx');
    expect(regionalTag('es', ['es', 'es-AR'])).toBe('es-AR');
    expect(regionalTag('es', ['en-US', 'es'])).toBe('es-MX');
    expect(regionalTag('en', ['es-MX'])).toBe('en');
    expect(formatsOf('es-MX', 'America/Mexico_City').amount('25000.00', 'MXN')).toBe('25,000.00 MXN');
  });

  it('format short numbers and durations by language', () => {
    expect([mexico.tenths(0.5), spanish.tenths(0.5)]).toEqual(['0.5', '0,5']);
    expect([mexico.durationMs(940.4), mexico.durationMs(1_250), spanish.durationMs(1_250)]).toEqual([
      '940 ms',
      '1.3 s',
      '1,3 s',
    ]);
  });

  it('name the time zone by its UTC offset at that instant', () => {
    expect(mexico.zone(Date.parse('2026-11-22T02:30:05Z'))).toBe('GMT-6');
    expect(spanish.zone(Date.parse('2026-07-22T02:30:05Z'))).toBe('GMT+2');
  });

  it('round elapsed time to its largest unit', () => {
    const nowMs = Date.UTC(2026, 10, 22, 2, 30);
    expect(mexico.ago('2026-11-22T02:29:20Z', nowMs)).toBe('40s ago');
    expect(mexico.ago('2026-11-22T00:10:00Z', nowMs)).toBe('2h ago');
  });
});
