import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../src/assert.ts';
import { openEvent, printEventRecord } from '../src/event-record.ts';
import type { EventKind } from '../src/event.ts';
import { parseJson } from '../src/json.ts';
import { type EventParse, type EventParseOptions, parseEvent } from '../src/parse-event.ts';
import { timeZone } from '../src/time-zone.ts';
import { hostileValues, type MemberKind, refusedJson } from './hostile-values.ts';

const options: EventParseOptions = {
  cards: 'mask',
  zone: timeZone('America/Mexico_City')!,
  hashCard: (hash) => `keyed-${hash.length}`,
};

function parse(kind: EventKind, text: string, changes: Partial<EventParseOptions> = {}): EventParse {
  const body = parseJson(text);
  if (!body.ok) return { ok: false, errors: [body.error] };
  return parseEvent(kind, body, { ...options, ...changes });
}

function accepted(
  kind: EventKind,
  text: string,
  changes?: Partial<EventParseOptions>,
): Extract<EventParse, { ok: true }> {
  const result = parse(kind, text, changes);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result;
}

function pointers(kind: EventKind, text: string, changes?: Partial<EventParseOptions>): readonly string[] {
  const result = parse(kind, text, changes);
  return result.ok ? [] : result.errors.map((error) => error.pointer);
}

const login = '{"channelId":1,"user":"u","publicIp":"203.0.113.7","data":"d"}';
const logout = '{"channelId":1,"user":"u","session":"s"}';
const operation = '{"channelId":1,"timestamp":"2026-11-21T10:15:30Z"}';

describe('the address of a login', () => {
  it.each([
    [' [::FFFF:203.0.113.7]:50001', '203.0.113.7'],
    ['2001:DB8::0007%eth0', '2001:db8::7'],
    ['203.0.113.7, 10.0.0.1', '203.0.113.7, 10.0.0.1'],
    ['', ''],
  ])('%s is kept as %s, in the stored body too', (sent, kept) => {
    const { event, bodyText, warnings } = accepted('login', login.replace('203.0.113.7', sent));
    expect(event).toMatchObject({ publicIp: kept });
    expect(JSON.parse(bodyText)).toMatchObject({ publicIp: kept });
    expect(warnings).toEqual([]);
  });

  it('is not printed again if it has this form already', () => {
    const text = login.replace(',', ' , ');
    expect(accepted('login', text).bodyText).toBe(text);
  });
});

describe('login and logout', () => {
  it.each<[EventKind, string, object]>([
    ['login', login, { kind: 'login', channelId: 1, user: 'u', publicIp: '203.0.113.7', data: 'd' }],
    [
      'login',
      '{"channelId":0,"user":" ","publicIp":"","data":""}',
      { kind: 'login', channelId: 0, user: ' ', publicIp: '', data: '' },
    ],
    [
      'login',
      '{"data":"","publicIp":"10.0.0.1:80, junk","session":"","user":"u","channelId":2147483647}',
      { kind: 'login', channelId: 2147483647, user: 'u', publicIp: '10.0.0.1:80, junk', data: '' },
    ],
    [
      'login',
      '{"channelId":1,"user":"u","session":null,"publicIp":"::1","data":"","new":{"a":[1,"x"]}}',
      { kind: 'login', channelId: 1, user: 'u', publicIp: '::1', data: '' },
    ],
    ['logout', logout, { kind: 'logout', channelId: 1, user: 'u', session: 's' }],
    [
      'logout',
      '{"channelId":1,"user":"u","session":"","publicIp":null,"data":""}',
      { kind: 'logout', channelId: 1, user: 'u' },
    ],
  ])('%s %s', (kind, text, event) => {
    const result = accepted(kind, text);
    expect(result.event).toStrictEqual(event);
    expect(result).toMatchObject({ bodyText: text, warnings: [], statedAtMs: undefined });
  });

  it.each<[EventKind, string, readonly string[]]>([
    ['login', '{}', ['/channelId', '/user', '/publicIp', '/data']],
    ['logout', '{}', ['/channelId', '/user', '/session']],
    [
      'login',
      '{"channelId":"1","user":"","publicIp":null,"data":null,"session":5}',
      ['/channelId', '/user', '/session', '/publicIp', '/data'],
    ],
    ['logout', '{"channelId":1,"user":"u","session":null,"data":[]}', ['/session', '/data']],
    ['login', '[]', ['']],
    ['login', 'null', ['']],
    ['login', '"x"', ['']],
    ['login', '1', ['']],
    ['login', '1e400', ['']],
  ])('reports all errors together: %s %s', (kind, text, expected) => {
    expect(pointers(kind, text)).toEqual(expected);
  });
});

describe('operation', () => {
  it('drops absent members at every depth, and keeps the text unchanged', () => {
    const text =
      '{ "channelId" : 1, "timestamp": "2026-11-21T10:15:30", "transaction": {"category":"", "details":{"a":"","b":null,"c":"x"}}, ' +
      '"account": null, "order": {"amount":10.10,"currency":null}, "accountTo": "", "debitFrom": {}, "creditCard":{"hash":""}, "more": 1.50 }';
    const result = accepted('operation', text);
    expect(result.event).toStrictEqual({
      kind: 'operation',
      channelId: 1,
      timestamp: '2026-11-21T10:15:30',
      transaction: { details: { c: 'x' } },
      order: { amount: '10.10' },
      debitFrom: {},
      creditCard: {},
    });
    expect(result.bodyText).toBe(text);
    expect(result.statedAtMs).toBe(Date.UTC(2026, 10, 21, 16, 15, 30));
  });

  it.each([
    ['"timestamp":"2026-11-21T10:15:30Z"', 10, []],
    ['"timestamp":"2026-11-21 10:15:30Z"', 10, []],
    ['"timestamp":"2026-11-21 05:15:30"', 11, []],
    ['"transaction":{"date":"2026-11-21 05:15:30"}', 11, ['timestamp.missing']],
    ['"timestamp":"2026-11-21T10:15:30Z","transaction":{"date":"2026-11-21T11:15:30Z"}', 10, []],
    ['"transaction":{"date":"2026-11-21T11:15:30Z"}', 11, ['timestamp.missing']],
    ['"timestamp":"","transaction":{"date":"2026-11-21T05:15:30"}', 11, ['timestamp.missing']],
    ['"timestamp":null,"transaction":{"date":"2026-11-21T11:15:30Z"}', 11, ['timestamp.missing']],
  ])('takes its time from timestamp before transaction.date: %s', (members, hour, warnings) => {
    const result = accepted('operation', `{"channelId":1,${members}}`);
    expect(result.statedAtMs).toBe(Date.UTC(2026, 10, 21, hour, 15, 30));
    expect(result.warnings.map((warning) => warning.code)).toEqual(warnings);
  });

  it.each(['"timestamp":"2026-11-21"', '"timestamp":"20261121","transaction":{"date":"2026-11-21T11:15:30Z"}'])(
    'has no time if the date has none: %s',
    (members) => {
      const result = accepted('operation', `{"channelId":1,${members}}`);
      expect(result.statedAtMs).toBeUndefined();
      expect(result.warnings.map((warning) => warning.code)).toEqual(['timestamp.dateAlone']);
    },
  );

  it.each([
    ['{"channelId":1}', ['/timestamp']],
    ['{"channelId":"one","transaction":{"date":""}}', ['/timestamp', '/channelId']],
    ['{"channelId":1,"timestamp":"","transaction":{"date":null}}', ['/timestamp']],
    ['{"channelId":1,"timestamp":"yesterday","transaction":{"date":"2026-11-21"}}', ['/timestamp']],
    ['{"channelId":1,"timestamp":"2026-11-21","transaction":{"date":"2026-W47-6"}}', ['/transaction/date']],
    [
      '{"channelId":1,"timestamp":"2026-11-21","transaction":{"details":{"a/b":1,"c~d":{}}}}',
      ['/transaction/details/a~1b', '/transaction/details/c~0d'],
    ],
    [
      '{"channelId":1,"timestamp":"2026-11-21","extra":{"deep":[1,1e400]},"wide":12345678901234567.89}',
      ['/extra/deep/1', '/wide'],
    ],
    ['{"channelId":1,"timestamp":"2026-11-21","order":{"amount":"10.10"},"account":[]}', ['/account', '/order/amount']],
  ])('refuses %s', (text, expected) => {
    expect(pointers('operation', text)).toEqual(expected);
  });

  it.each([
    ['1500.50', '1500.50'],
    ['1500.500000', '1500.500000'],
    ['1.50000000', '1.5'],
    ['1E3', '1000'],
    ['1.23456789E7', '12345678.9'],
    ['-0.10', '-0.10'],
    ['0', '0'],
    ['123456789012345678.123456', '123456789012345678.123456'],
  ])('keeps the digits of the amount %s as %s', (sent, kept) => {
    const text = `{"channelId":1,"timestamp":"2026-11-21","order":{"amount":${sent}}}`;
    expect(accepted('operation', text).event).toMatchObject({ order: { amount: kept } });
  });

  it.each([
    ['3750.2999999999997', '3750.3'],
    ['0.0000005', '0'],
    ['-1.0000015', '-1.000002'],
  ])('rounds the amount %s to %s, in the event and in the text, with a warning', (sent, kept) => {
    const body = (amount: string): string =>
      `{"channelId":1,"timestamp":"2026-11-21T10:15:30Z","order":{"amount":${amount},"currency":"MXN"},"more":1.50}`;
    const result = accepted('operation', body(sent));
    expect(result.event).toMatchObject({ order: { amount: kept } });
    expect(result.bodyText).toBe(body(kept));
    expect(result.warnings).toEqual([
      { code: 'amount.rounded', detail: 'order.amount has more than 6 decimals and was rounded to 6' },
    ]);
    // What replay reads is the same.
    const opened = openEvent('operation', new TextEncoder().encode(printEventRecord(result.bodyText, { facts: {} })));
    expect(opened.event).toEqual(result.event);
  });

  it.each([
    ['MXN', 'MXN', []],
    [' mxn\\t', 'MXN', ['currency.folded']],
    ['usdt', 'USDT', ['currency.folded', 'currency.unknown']],
    ['US$', 'US$', ['currency.unknown']],
    ['ß', 'ß', ['currency.unknown']],
  ])('takes the currency code "%s" as %s', (sent, kept, codes) => {
    const code = `"currency":"${sent}"`;
    const text = `{"channelId":1,"timestamp":"2026-11-21T10:15:30Z","order":{${code}},"debitFrom":{${code}},"creditTo":{${code}}}`;
    const result = accepted('operation', text);
    expect(result.event).toMatchObject({
      order: { currency: kept },
      debitFrom: { currency: kept },
      creditTo: { currency: kept },
    });
    expect(JSON.parse(result.bodyText)).toMatchObject({ order: { currency: kept } });
    const members = ['order.currency', 'debitFrom.currency', 'creditTo.currency'];
    expect(result.warnings.map(({ code: one, detail }) => `${one} ${detail.split(' ', 1)[0]}`)).toEqual(
      members.flatMap((member) => codes.map((one) => `${one} ${member}`)),
    );
  });

  it('takes a currency code of spaces as absent', () => {
    const result = accepted('operation', '{"channelId":1,"timestamp":"2026-11-21T10:15:30Z","order":{"currency":" "}}');
    expect(result.event).toMatchObject({ order: {} });
    expect(result.event).not.toHaveProperty('order.currency');
  });

  it.each(['9007199254740992', '9007199254740993', '1e20', '1.00000000000000000001', '1e400'])(
    'reports that the reference number %s is out of range',
    (number) => {
      const text = `{"channelId":1,"timestamp":"2026-11-21","account":{"clientRefId":${number}}}`;
      const detail = 'The number is out of range.';
      expect(parse('operation', text)).toMatchObject({ errors: [{ pointer: '/account/clientRefId', detail }] });
    },
  );

  it('reports at most 20 errors', () => {
    const numbers = Array.from({ length: 5_000 }, () => '1e400').join(',');
    expect(pointers('operation', `{"channelId":1,"x":[${numbers}]}`)).toHaveLength(20);
  });
});

describe('card numbers and hashes', () => {
  const pan = '4111 1111 1111 1111';
  const masked = '4111 11** **** 1111';

  it('masks free text of known and unknown members, and prints the body again', () => {
    const body = (number: string): string =>
      `{"channelId":1,"timestamp":"2026-11-21","transaction":{"category":"${number}","type":"${number}","description":"${number}",` +
      `"reference":"${number}","details":{"k":"${number}"}},"order":{"amount":10.10},"other":["${number}",{"x":"${number}"}]}`;
    const result = accepted('operation', body(pan));
    expect(result.bodyText).toBe(body(masked));
    expect(result.event).toMatchObject({
      transaction: { description: masked, details: { k: masked } },
      order: { amount: '10.10' },
    });
    expect(pointers('operation', body(pan), { cards: 'refuse' })).toEqual([
      '/transaction/category',
      '/transaction/type',
      '/transaction/description',
      '/transaction/details/k',
      '/other/0',
      '/other/1/x',
    ]);
  });

  it('warns of what it masked, and names members of the interface only', () => {
    const text =
      `{"channelId":1,"timestamp":"2026-11-21T10:15:30Z","transaction":{"reference":"${pan}","details":{"a":"${pan}","${pan}":""}},` +
      `"other":"${pan}","${pan}\\"\\n":["${pan}"]}`;
    const { warnings } = accepted('operation', text);
    expect(warnings).toEqual(
      ['transaction.reference', 'transaction.details', 'an unknown member'].map((member) => ({
        code: 'card.masked',
        detail: `${member} looks like a card number or contains one, and was masked`,
      })),
    );
  });

  it('refuses neither a reference nor a CLABE that looks like a card number, and keeps both as sent', () => {
    const clabe = '646180157000000059';
    const text =
      `{"channelId":1,"timestamp":"2026-11-21T10:15:30Z","transaction":{"reference":"4111111111111111","description":"to ${clabe}",` +
      `"details":{"clabe":"${clabe}"}},"creditTo":{"account":"4111111111111111"},"payee":{"clabe":"${clabe}"}}`;
    expect(accepted('operation', text, { cards: 'refuse' })).toMatchObject({ bodyText: text, warnings: [] });
    expect(accepted('operation', text, { cards: 'mask' }).bodyText).not.toContain(clabe);
    expect(pointers('operation', text.replace(`to ${clabe}`, pan), { cards: 'refuse' })).toEqual([
      '/transaction/description',
    ]);
  });

  it.each([
    ['4111111111111111', '411111******1111'],
    ['4111111111111111.0', '411111******1111'],
    ['4.111111111111111E15', '411111******1111'],
    ['-4111111111111111', '-411111******1111'],
    ['4000000000000003000', '400000*********3000'],
  ])('masks the number %s in unknown members', (sent, kept) => {
    const body = (number: string): string =>
      `{"channelId":1,"user":"u","publicIp":"x","data":"","pan":${number},"other":[${number},{"x":${number}}]}`;
    expect(accepted('login', body(sent)).bodyText).toBe(body(`"${kept}"`));
    expect(pointers('login', body(sent), { cards: 'refuse' })).toEqual(['/pan', '/other/0', '/other/1/x']);
  });

  it('does not mask other numbers, amounts and known numbers', () => {
    const text =
      '{"channelId":1,"timestamp":"2026-11-21","account":{"clientRefId":4111111111111111},"order":{"amount":4111111111111111},' +
      '"number":4111111111111112,"atMs":1763719530000,"longitude":-99.4111111111111}';
    expect(accepted('operation', text, { cards: 'refuse' }).bodyText).toBe(text);
  });

  it('masks member names that a sender chose', () => {
    const text = `{"channelId":1,"timestamp":"2026-11-21","${pan}":1,"transaction":{"details":{"${pan}":"a"}}}`;
    const result = accepted('operation', text);
    expect(result.bodyText).not.toContain('1111 1111');
    expect(result.event).toMatchObject({ transaction: { details: { [masked]: 'a' } } });
    expect(pointers('operation', text, { cards: 'refuse' })).toHaveLength(2);
  });

  it('does not mask account fields, identifiers and device data', () => {
    const number = '4111111111111111';
    const accountFields = `{"accountNumber":"${number}","bank":"${number}","client":"${number}"}`;
    const text =
      `{"channelId":1,"timestamp":"2026-11-21","account":{"session":"${number}","accountNumber":"${number}","clientRefIdStr":"${number}"},` +
      `"accountTo":${accountFields},"creditTo":{"account":"${number}"},"debitFrom":{"account":"${number}"},"creditCard":{"token":"${number}"}}`;
    expect(accepted('operation', text, { cards: 'refuse' }).bodyText).toBe(text);
    const loginText = `{"channelId":1,"user":"${number}","session":"${number}","publicIp":"x","data":"${number}"}`;
    expect(accepted('login', loginText, { cards: 'refuse' }).bodyText).toBe(loginText);
  });

  it.each([
    ['{"hash":"abc","bin":"411111"}', '{"hash":"keyed-3","bin":"411111"}'],
    ['{"hash":"a\\u0062c"}', '{"hash":"keyed-3"}'],
    ['{"token":"abc","hash":"abc"}', '{"token":"abc","hash":"keyed-3"}'],
    ['{"hash":"\\u0061bc","bin":"abc"}', '{"hash":"keyed-3","bin":"abc"}'],
    ['{"hash":"abc","abc":1}', '{"hash":"keyed-3","abc":1}'],
  ])('replaces the hash of %s in event and text, and nothing else', (card, kept) => {
    const body = (creditCard: string): string =>
      `{"channelId":1,"timestamp":"2026-11-21","order":{"amount":1.50},"creditCard":${creditCard}}`;
    const result = accepted('operation', body(card));
    expect(result.bodyText).toBe(body(kept));
    expect(result.event).toMatchObject({ creditCard: { hash: 'keyed-3' } });
  });

  it('does not accept a complete card number as bin or last digits', () => {
    const text =
      '{"channelId":1,"timestamp":"2026-11-21","creditCard":{"bin":"4111111111111","last4Digits":"4111111111111"}}';
    expect(pointers('operation', text)).toEqual(['/creditCard/bin', '/creditCard/last4Digits']);
  });
});

const members: readonly (readonly [EventKind, string, MemberKind])[] = [
  ['login', '/channelId', 'channel'],
  ['login', '/user', 'user'],
  ['login', '/session', 'session'],
  ['operation', '/account/session', 'session'],
  ['login', '/publicIp', 'ip'],
  ['logout', '/user', 'user'],
  ['operation', '/channelId', 'channel'],
  ['operation', '/timestamp', 'date'],
  ['operation', '/transaction/date', 'date'],
  ['operation', '/transaction/details', 'texts'],
  ['operation', '/order/amount', 'decimal'],
  ['operation', '/account/clientRefId', 'integer'],
  ...['bin', 'last4Digits'].map((name): [EventKind, string, MemberKind] => [
    'operation',
    `/creditCard/${name}`,
    'short',
  ]),
  ...['hash', 'token'].map((name): [EventKind, string, MemberKind] => ['operation', `/creditCard/${name}`, 'text']),
  ...['category', 'type', 'reference'].map((name): [EventKind, string, MemberKind] => [
    'operation',
    `/transaction/${name}`,
    'text',
  ]),
  ...['client', 'clientRefIdStr', 'email', 'phoneNumber', 'accountNumber', 'bank'].map(
    (name): [EventKind, string, MemberKind] => ['operation', `/account/${name}`, 'text'],
  ),
  ...['client', 'accountNumber', 'bank'].map((name): [EventKind, string, MemberKind] => [
    'operation',
    `/accountTo/${name}`,
    'text',
  ]),
  ...['account', 'bank', 'currency'].flatMap((name): [EventKind, string, MemberKind][] => [
    ['operation', `/debitFrom/${name}`, 'text'],
    ['operation', `/creditTo/${name}`, 'text'],
  ]),
  ...['account', 'order', 'accountTo', 'debitFrom', 'creditTo', 'creditCard'].map(
    (name): [EventKind, string, MemberKind] => ['operation', `/${name}`, 'object'],
  ),
];

/** A valid body with one member written as `json`. */
function bodyWith(kind: EventKind, pointer: string, json: string): string {
  const base: Record<EventKind, Record<string, string>> = {
    login: { channelId: '1', user: '"u"', publicIp: '"x"', data: '""' },
    logout: { channelId: '1', user: '"u"', session: '""' },
    operation: { channelId: '1', timestamp: '"2026-11-21"', transaction: '{"date":"2026-11-21"}' },
  };
  const [, name = '', nested] = pointer.split('/');
  const written = { ...base[kind], [name]: nested === undefined ? json : `{"${nested}":${json}}` };
  if (name === 'transaction' && nested !== 'date') written['transaction'] = `{"date":"2026-11-21","${nested}":${json}}`;
  const texts = Object.entries(written).map(([key, value]) => `"${key}":${value}`);
  return `{${texts.join(',')}}`;
}

describe('hostile values', () => {
  it('are many', () => {
    expect(hostileValues.length).toBeGreaterThanOrEqual(60);
    expect(members.length).toBeGreaterThanOrEqual(35);
  });

  it.each(members)(
    '%s %s accepts what a %s is, and reports everything else under its own pointer',
    (kind, pointer, memberKind) => {
      for (const { json, takenBy } of hostileValues) {
        const result = parse(kind, bodyWith(kind, pointer, json));
        const taken = takenBy.includes(memberKind);
        expect.soft(result.ok, `${pointer} ${json.slice(0, 60)}`).toBe(taken);
        const found = result.ok ? [] : result.errors.map((error) => error.pointer);
        expect
          .soft(
            found.every((at) => at.startsWith(pointer)),
            `${pointer} ${found.join(' ')}`,
          )
          .toBe(true);
      }
      for (const json of refusedJson) {
        const result = parse(kind, bodyWith(kind, pointer, json));
        expect.soft(result.ok, `${pointer} ${json}`).toBe(false);
      }
    },
  );

  it('are read back from their record as the same event', () => {
    const enrichment = { facts: { 'ip.valid': false } };
    for (const [kind, pointer] of members) {
      for (const { json } of hostileValues) {
        const result = parse(kind, bodyWith(kind, pointer, json));
        if (!result.ok) continue;
        const payload = new TextEncoder().encode(printEventRecord(result.bodyText, enrichment));
        expect(openEvent(kind, payload)).toEqual({ event: result.event, enrichment, bodyText: result.bodyText });
      }
    }
  });
});

describe('parseEvent', () => {
  it('never throws, changes a prototype or reveals a value, whatever the input', () => {
    const before = Reflect.ownKeys(Object.prototype);
    const kinds = fc.constantFrom<EventKind>('login', 'logout', 'operation');
    const name = fc.constantFrom(
      ...'channelId user session publicIp data timestamp transaction account order amount details toString'.split(' '),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant('secret-value'), tie('object')),
      object: fc.dictionary(name, tie('any'), { maxKeys: 8 }),
    }));
    fc.assert(
      fc.property(kinds, value.object, (kind, body) => {
        const result = parse(kind, JSON.stringify(body));
        expect(JSON.stringify(result.ok ? [] : result.errors)).not.toContain('secret');
      }),
      { seed: 8, numRuns: 5_000 },
    );
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
  });

  it('keeps the digits of 1,000 random amounts from wire to record', () => {
    const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.stringMatching(/^\d{1,6}$/));
    fc.assert(
      fc.property(amount, ([integer, fraction]) => {
        const text = `{"channelId":1,"timestamp":"2026-11-21","order":{"amount":${integer}.${fraction}}}`;
        const { bodyText } = accepted('operation', text);
        const opened = openEvent('operation', new TextEncoder().encode(printEventRecord(bodyText, { facts: {} })));
        expect(opened.event).toMatchObject({ order: { amount: `${integer}.${fraction}` } });
      }),
      { seed: 9, numRuns: 1_000 },
    );
  });

  it('opens whatever was accepted, wherever there is white space', () => {
    const space = fc.array(fc.constantFrom(' ', '\n', '\r', '\t'), { maxLength: 3 }).map((spaces) => spaces.join(''));
    const tokens = fc.constantFrom(login, logout, operation).map((text) => text.match(/"[^"]*"|[{}:,]|\d+/g)!);
    const spaced = tokens.chain((parts) =>
      fc
        .array(space, { minLength: parts.length + 1, maxLength: parts.length + 1 })
        .map((spaces) => parts.map((part, at) => spaces[at]! + part).join('') + spaces.at(-1)!),
    );
    fc.assert(
      fc.property(spaced, (text) => {
        const kind = text.includes('publicIp') ? 'login' : text.includes('timestamp') ? 'operation' : 'logout';
        const enrichment = { facts: { 'ip.valid': true } };
        const { event, bodyText } = accepted(kind, text);
        expect(bodyText).toBe(text);
        const payload = new TextEncoder().encode(printEventRecord(bodyText, enrichment));
        expect(openEvent(kind, payload)).toEqual({ event, enrichment, bodyText });
      }),
      { seed: 10, numRuns: 2_000 },
    );
  });

  it('opens a record whose body imitates the record', () => {
    const text =
      '{"channelId":1,"timestamp":"2026-11-21T10:15Z","body":{},"door":{"facts":{}},"x":"\\",\\"door\\":{}"}';
    const enrichment = { statedAtMs: accepted('operation', text).statedAtMs!, facts: { 'ip.valid': true, door: 'x' } };
    const opened = openEvent('operation', new TextEncoder().encode(printEventRecord(text, enrichment)));
    expect(opened).toMatchObject({ bodyText: text, enrichment });
  });

  const noRecords =
    '{"body":{}} {"door":{}}|{"body":{},"door":{|{"body":|{"body":{}}|{"body":[],"door":{}}|{"door":{},"body":{}}';
  it.each(['', '{}', operation, ...noRecords.split('|')])('rejects anything else: %s', (text) => {
    expect(() => openEvent('operation', new TextEncoder().encode(text))).toThrow(InvariantError);
  });

  it('rejects bytes that are not text', () => {
    expect(() => openEvent('operation', Uint8Array.of(0xff, 0xfe))).toThrow(InvariantError);
  });
});
