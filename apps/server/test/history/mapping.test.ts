import { timeZone } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/platform/shapes/mistakes.ts';
import { columnsOf } from '../../src/history/mapping/mapping.ts';
import { readMapping } from '../../src/history/mapping/read-mapping.ts';
import { damageOf } from '../../src/history/damage.ts';
import { timeReader } from '../../src/history/mapping/time-format.ts';

const right = `
time: { column: at, format: DD/MM/YYYY HH:mm, zone: America/Mexico_City }
kind: { column: type, login: [in], operation: [pay, transfer] }
label: { column: fraud, fraud: [1, "yes"], legitimate: [0] }
login: { channelId: { value: 1 }, user: customer, publicIp: ip, data: { value: "" } }
operation:
  channelId: { column: channel, default: 2 }
  account.client: customer
  order.amount: amount
  transaction.details.branch.name: branch
`;

function mistakes(text: string): string {
  try {
    readMapping('m.yaml', text);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
}

describe('a mapping', () => {
  it('maps each column', () => {
    const mapping = readMapping('m.yaml', right);
    expect(mapping.members.operation).toContainEqual({
      path: 'channelId',
      type: 'number',
      source: { column: 'channel', default: '2' },
    });
    expect(mapping.members.operation).toContainEqual({
      path: 'transaction.details.branch.name',
      type: 'text',
      source: { column: 'branch', default: undefined },
    });
    expect(mapping.kind).toMatchObject({
      words: new Map([
        ['in', 'login'],
        ['pay', 'operation'],
        ['transfer', 'operation'],
      ]),
    });
    expect(columnsOf(mapping)).toEqual(['at', 'type', 'fraud', 'customer', 'ip', 'channel', 'amount', 'branch']);
  });

  const head = 'time: { column: at }\nkind: operation\n';
  it.each([
    ['kind: operation\noperation: { channelId: c }', 'm.yaml:1:1: time is missing'],
    [
      'time: { column: at, format: HH:mm }\nkind: operation\noperation: { channelId: c }',
      'm.yaml:1:29: time.format: expected iso',
    ],
    [
      'time: { column: at, zone: Mars }\nkind: operation\noperation: { channelId: c }',
      'm.yaml:1:27: time.zone: expected an IANA time zone',
    ],
    [
      'time: { column: at }\nkind: payment\noperation: { channelId: c }',
      'm.yaml:2:7: kind: expected login or logout or operation, found "payment"',
    ],
    [head, 'm.yaml:1:1: operation needs channelId'],
    [
      `${head}login: { user: u }\noperation: { channelId: c }`,
      'm.yaml:3:8: login is mapped, but no line is of this kind',
    ],
    [
      `${head}operation: { channelId: c, account.clint: x }`,
      'operation has no member account.clint; did you mean "account.client"?',
    ],
    [
      `${head}operation: { channelId: { column: c, value: 1 } }`,
      'm.yaml:3:25: operation.channelId: expected either column or value',
    ],
    [`${head}operation: { channelId: { value: 1, default: 2 } }`, 'expected no default beside value'],
    [
      `${head}operation: { channelId: c }\nlabel: { column: f, fraud: [1], legitimate: [1] }`,
      'm.yaml:4:46: "1" means fraud already',
    ],
    [`${head}operation: { channelId: c }\ndelimiter: ab`, 'm.yaml:4:12: delimiter: expected one character, or tab'],
    [`${head}operation: { channelId: c }\nformt: csv`, 'm.yaml:4:1: formt is not known; did you mean "format"?'],
    ['a: [', 'not well-formed YAML'],
  ])('with a mistake is refused with its position: %j', (text, expected) => {
    expect(mistakes(text)).toContain(expected);
  });
});

it('reports all mistakes of a mapping together', () => {
  const told = mistakes(`time: { column: at, zone: Mars }
kind: payment
label: { column: f, fraud: [1], legitimate: [1] }
operation: { account.clint: x }
formt: csv
`);
  for (const expected of [
    'm.yaml:1:27: time.zone: expected an IANA time zone',
    'm.yaml:2:7: kind: expected login or logout or operation, found "payment"',
    'm.yaml:3:46: "1" means fraud already',
    'm.yaml:4:12: operation needs channelId',
    'operation has no member account.clint; did you mean "account.client"?',
    'm.yaml:5:1: formt is not known; did you mean "format"?',
  ])
    expect(told).toContain(expected);
});

it('reports missing and unused kinds even when another part of the mapping is wrong', () => {
  const told = mistakes('time: { column: at }\nkind: operation\nlogin: { user: u }\nformt: csv\n');
  expect(told).toContain('operation needs channelId');
  expect(told).toContain('login is mapped, but no line is of this kind');
  expect(told).not.toContain('login needs');
});

describe('a time', () => {
  const zone = timeZone('America/Mexico_City')!;
  it.each([
    ['iso', '2026-11-21T10:15:30Z', '2026-11-21T10:15:30.000Z'],
    ['iso', '2026-11-21 10:15:30.250', '2026-11-21T16:15:30.250Z'],
    ['iso', '2026-11-21', '2026-11-21T06:00:00.000Z'],
    ['iso', '2026-11-21 10:15:30 UTC', '2026-11-21T10:15:30.000Z'],
    ['iso', '2026-11-21 10:15:30.123456 UTC', '2026-11-21T10:15:30.123Z'],
    ['iso', '2026-11-21T10:15:30 Z', '2026-11-21T10:15:30.000Z'],
    ['iso', '2026-11-21 10:15:30 -06:00', '2026-11-21T16:15:30.000Z'],
    ['iso', '2026-11-21 10:15:30.5 +0530 UTC', '2026-11-21T04:45:30.500Z'],
    ['DD/MM/YYYY HH:mm:ss', '21/11/2026 10:15:30 GMT', '2026-11-21T10:15:30.000Z'],
    ['DD/MM/YYYY HH:mm', '21/11/2026 10:15 +01', '2026-11-21T09:15:00.000Z'],
    ['epoch-seconds', '1522540831', '2018-04-01T00:00:31.000Z'],
    ['epoch-seconds', '1522540831.25', '2018-04-01T00:00:31.250Z'],
    ['epoch-milliseconds', '1522540831250', '2018-04-01T00:00:31.250Z'],
    ['DD/MM/YYYY HH:mm:ss', '1/4/2018 00:00:31', '2018-04-01T06:00:31.000Z'],
    ['YYYYMMDDTHHmmss', '20180401T000031', '2018-04-01T06:00:31.000Z'],
    ['MM.DD.YYYY', '04.01.2018', '2018-04-01T06:00:00.000Z'],
  ])('%s: %s', (format, cell, expected) => {
    const time = timeReader(format)!(cell, zone);
    expect(typeof time === 'string' ? time : new Date(time.atMs).toISOString()).toBe(expected);
  });

  it.each([
    ['iso', '21/11/2026', 'This is not an ISO 8601 date.'],
    ['iso', '2026-11-21 10:15:30 CST', 'The text after the time is not a zone.'],
    ['epoch-seconds', '99', 'The year is outside 2000 to 2099.'],
    ['epoch-seconds', '1522540831000', 'This looks like milliseconds since 1970: format epoch-milliseconds.'],
    ['epoch-milliseconds', '1522540831', 'This looks like seconds since 1970: format epoch-seconds.'],
    ['iso', '1522540831.25', 'This looks like seconds since 1970: format epoch-seconds.'],
    ['iso', '1522540831000', 'This looks like milliseconds since 1970: format epoch-milliseconds.'],
    ['iso', '1899-01-01', 'The year is outside 2000 to 2099.'],
    ['iso', '2018040112', 'The date must be followed by T and a time.'],
    ['epoch-seconds', 'soon', 'This is not a number of seconds or milliseconds since 1970.'],
    ['DD/MM/YYYY', '31/02/2026', 'There is no such day in the calendar.'],
    ['DD/MM/YYYY', '2026-02-01', 'This is not a date of the form DD/MM/YYYY.'],
  ])('%s: %s is refused', (format, cell, reason) => {
    expect(timeReader(format)!(cell, zone)).toBe(reason);
  });

  it.each(['', 'YYYY', 'DD/MM', 'YYYY-MM-DD YYYY', 'dd/mm/yyyy', 'epoch'])('has no format %j', (format) => {
    expect(timeReader(format)).toBeUndefined();
  });

  it('that clocks show twice is told with both instants', () => {
    const newYork = timeZone('America/New_York')!;
    const seen = timeReader('iso')!('2026-11-01 01:30:00', newYork);
    expect(seen).toEqual({ atMs: Date.parse('2026-11-01T05:30:00Z'), againMs: Date.parse('2026-11-01T06:30:00Z') });
    expect(timeReader('iso')!('2026-11-01 01:30:00 -05:00', newYork)).toEqual({
      atMs: Date.parse('2026-11-01T06:30:00Z'),
    });
    for (const once of ['2026-11-01 00:59:59', '2026-11-01 02:00:00', '2026-03-08 02:30:00'])
      expect(timeReader('iso')!(once, newYork)).not.toHaveProperty('againMs');
  });
});

it.each(['BST', 'CST', 'EST', 'CET', 'GB', 'Mexico_City'])('the zone %s says no place', (zone) => {
  const told = mistakes(
    `time: { column: at, zone: ${zone} }\nkind: operation\noperation: { channelId: { value: 1 } }\n`,
  );
  expect(told).toMatch(/expected an IANA time zone, not an abbreviation: .*\//);
});

it.each([
  ['NULL', 'nulls'],
  [String.raw`\N`, 'nulls'],
  ['#N/A', 'nulls'],
  ['ana ', 'trim'],
  ['6.46180157E+17', 'spreadsheet has rounded'],
  ['1,5e10', 'spreadsheet has rounded'],
  ['#REF!', 'error of a spreadsheet'],
  ['########', 'error of a spreadsheet'],
  ['="012345"', 'formula of a spreadsheet'],
  ['Jos\ufffd', 'lost in another encoding'],
  ['JosÃ©', 'UTF-8 that was read'],
])('%s looks damaged', (text, looksLike) => {
  expect(damageOf(text)).toContain(looksLike);
});

it.each(['Null, Ana', 'ana', '012345', '1E', 'E5', '#1', '=', 'São Paulo', 'Ângela', 'MÃE', '6.46'])(
  '%s looks sound',
  (text) => {
    expect(damageOf(text)).toBeUndefined();
  },
);
