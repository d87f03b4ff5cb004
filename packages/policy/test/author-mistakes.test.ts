import { expect, it } from 'vitest';
import { loadPolicy } from '../src/check/load-policy.ts';
import { mistakesOf } from './load.ts';

/** Common mistakes of policy authors, and the messages for them: the place, the text, and what was probably meant. */
const rule = (fields: string): string => `rules:\n  - reason: 1\n    name: n\n${fields}`;
const when = (condition: string): string => rule(`    when: ${condition}\n    then: { action: 2 }`);
const then = (action: string): string => rule(`    when: order.amount > 1\n    then: ${action}`);
const login = 'login: { channelId: 1, user: ana, session: s, publicIp: 203.0.113.7, data: d }';
const test = (given: string, expected = '[]'): string =>
  `${then('{ action: 2 }')}\ntests:\n  - { name: t, given: [{ ${given} }], expect: ${expected} }`;

it.each([
  // YAML
  ['lists:\n  l: { of: payee.id, items: [A/1\nrules: []', '2:29 [ is not closed => ]'],
  ['lists:\n  l: { of: payee.id\nrules: []', '2:6 { is not closed => }'],
  [then('{ action: 2, message: "Hello }'), '5:33 " is not closed => "'],
  [
    'rules:\n  - { reason: 1, name: n, when: order.currency in ["MXN", "USD"], then: { action: 2 } }',
    `2:5 a text with [ ] or { } needs quotes within { } and [ ] => when: 'order.currency in ["MXN", "USD"]', the whole text in quotes`,
  ],
  [
    then(`{ action: 2, message: Hello, ana }`),
    "5:40 a text with a comma needs quotes within { }: it ends before ana => '… , ana', the whole text in quotes",
  ],
  [
    when('order.amount > 1').replace('name: n', 'name: Mule: two'),
    '3:11 a text that contains ": " needs quotes => "Mule: two"',
  ],
  [when('!device.isNew'), '4:11 a text that begins with ! needs quotes => "!device.isNew"'],
  [
    when('!device.isNew && user == "a"'),
    `4:11 a text that begins with ! needs quotes => '!device.isNew && user == "a"'`,
  ],
  ['rules:\n\t- reason: 1\n\t  name: n', '2:1 there is a tab where spaces are expected => two spaces for each level'],
  [
    'rules:\n  - reason: 1\n    name: n\n   when: order.amount > 1\n    then: { action: 2 }',
    '4:4 the line is indented differently from the lines above it => as many spaces as the lines that it belongs with',
  ],
  ['rules: []\n---\nrules: []', '2:1 a second document begins here => remove the ---: a file is one document'],
  ['rules:\n  - name: @n', '2:11 a text that begins with @ needs quotes => "@n"'],
  [
    when('"a\\d"'),
    '4:13 \\d is not an escape sequence in double quotes => single quotes around the text, or two backslashes',
  ],
  ['rules: []\nlists', '2:1 a colon and a value are expected after the name => name: value'],
  ['rules: []\rlists: {}', '1:10 the line ends with a lone carriage return => save it with line ends LF or CR LF'],
  ['rules:\n  - name: a\0b', '2:12 there is a control character (U+0000) here => remove it'],
  ['rules:\n  - name: a\ufffdb', '2:12 the file is not valid UTF-8 here => save it as UTF-8'],
  // Shape
  ['rules:\n  1: { name: n }', '2:3 rules is a list, not a mapping => [a, b], or lines that begin with "- "'],
  [rule('    wen: order.amount > 1\n    then: { action: 2 }'), '4:5 a rule has no wen => when'],
  ['features:\n  f: { average: order.amount, by: client.id, over: 1d }', '2:8 a feature has no average => avg'],
  [then('2'), '5:11 then is 2 => { action: 2 }'],
  [then('{ acton: 2 }'), '5:13 an action has no acton => action'],
  // Conditions
  [when('order.amount > 10 and true'), '4:29 "and" is not expected here => && for "and"'],
  [when('order.amount > && true'), '4:26 a value is expected here, not &&'],
  [when('not device.isNew'), '4:15 "device" is not expected here => ! for "not"'],
  [when('order.amount > 1,5'), '4:27 "," is not expected here => 1.5'],
  [when('order.amount > 10.000,50'), '4:32 "," is not expected here => 10000.50'],
  [when('order.amount > 1.000.000'), '4:32 expected a name, got a number => 1000000'],
  [when('order.amount > 1_000'), '4:27 "_000" is not expected here => 1000'],
  [when('order.amount > 1 000'), '4:28 "000" is not expected here => 1000'],
  [when('order.amount > 2.5k'), '4:29 "k" is not expected here => 2500'],
  [when('order.amount > 5M'), '4:27 "M" is not expected here => 5000000'],
  [when('if(device.isNew, true, false)'), '4:11 reserved identifier: if => condition ? a : b'],
  [when('order.currency in ("MXN", "USD")'), '4:35 expected ), got , => a list: x in [1, 2]'],
  [
    when('event.weekday == "Saturday"'),
    "4:11 event.weekday is a whole number and can't be compared with a string => a whole number",
  ],
  [when('order.currency IN ("MXN")'), '4:26 "IN" is not expected here => in in small letters: x in [1, 2]'],
  [when('ip.country !in ["MX"]'), '4:22 "!" is not expected here => !(x in [1, 2])'],
  [when('order.currency is not null'), '4:26 "is" is not expected here => has(x)'],
  [when('order.currency IS NULL'), '4:26 "IS" is not expected here => !has(x)'],
  [when('order.amount exists'), '4:24 "exists" is not expected here => has(x)'],
  [when('order.amount > 5;'), '4:27 ";" is not expected here => no ; at the end'],
  [when('order.amount ^ 2 > 5'), '4:24 "^" is not expected here => x * x for a square'],
  [when('order.amount ** 2 > 5'), '4:25 a value is expected here, not * => x * x for a square'],
  [when('order.amount ?? 0 > 5'), '4:25 a value is expected here, not ? => x.orValue(y)'],
  [
    when('order?.amount > 5'),
    '4:17 a value is expected here, not . => a dot alone: a missing value makes the condition missing',
  ],
  [when("'{{order.amount}} > 5'"), '4:26 expected :, got } => the name alone: braces are for messages'],
  [when('(order.amount > 5'), '4:28 expected ), got the end => a ) for each ('],
  [when('order.amount > 5)'), '4:27 ")" is not expected here => a ( for each )'],
  [when("order.currency == 'MXN"), '4:29 unterminated string => the same quote at its end'],
  [when('order.amount > 5 &&'), '4:30 the expression ends too early => a condition after it, or nothing'],
  [when('IF(device.isNew, true, false)'), '4:11 there is no function IF => condition ? a : b'],
  [when('AND(device.isNew, ip.vpn)'), '4:11 there is no function AND => x && y'],
  [when('ISBLANK(order.currency)'), '4:11 there is no function ISBLANK => !has(…)'],
  [when('COALESCE(order.amount, 0) > 5'), '4:11 there is no function COALESCE => x.orValue(y)'],
  [when('order.total > 100'), '4:11 there is no fact or feature order.total => order.amount'],
  [when('transaction.payee == "x"'), '4:11 there is no fact or feature transaction.payee => payee.id'],
  [
    when('payee.name == "x"'),
    '4:11 there is no fact or feature payee.name => payee.id, or transaction.details["…"] for a name',
  ],
  [when('device.isNew == TRUE'), '4:27 there is no fact or feature TRUE => true'],
  [
    when('order.currency != undefined'),
    '4:29 there is no fact or feature undefined => has(x), or !has(x) if it is missing',
  ],
  [when('order.amount > .5'), '4:26 a value is expected here, not . => 0.5'],
  [when('order.amount > +5'), '4:26 a value is expected here, not + => the number without +'],
  [when('order.amount > 10 MXN'), '4:29 "MXN" is not expected here => 10, and a comparison order.currency == "MXN"'],
  [when('order.amount > 10,000'), '4:28 "," is not expected here => a number without commas, such as 10000'],
  [when('order.amount > 10%'), '4:29 the expression ends too early => a share of 1: 0.1 for 10%'],
  [
    when('session.age < 60sec'),
    '4:27 "sec" is not expected here => a duration in d, h, m, s or ms, such as 7d, 24h or 90s',
  ],
  [
    when('\u043erder.amount > 1'),
    '4:11 "\u043e" (U+043E) is not expected here => type it again: it only looks like a plain letter, sign or space',
  ],
  [when('order.amount > 1.5e400'), '4:26 1.5e400 is not a number, or is too large'],
  [
    when(`${'('.repeat(50)}true${')'.repeat(50)}`),
    '4:51 the expression has too many nested parentheses, calls and members: at most 40',
  ],
  [`lists:\n  mules: { of: payee.id }\n${when('payee.id in mules')}`, '6:23 mules is a list => lists.mules'],
  // Tests
  [
    test('at: +0s, login: { channelId: one, user: ana, publicIp: a, data: d }'),
    '7:55 login.channelId: this is a string => a whole number from 0 to 2147483647',
  ],
  [
    test('at: +0s, operation: { channelId: 1, timestamp: 2026-02-30T00:00:00Z, account: { client: a } }'),
    '7:73 operation.timestamp: there is no such day in the calendar => an ISO 8601 date-time of the years 2000 to 2099, for example 2026-11-21T10:15:30.250-06:00; the zone is optional',
  ],
  [
    test(`at: +0s, ${login}`, '[{ reason: 1, action: Close sesion }]'),
    '7:148 there is no action "Close sesion" => Close session',
  ],
  [
    `tests:\n  - { name: t, timezone: Mexico_City, given: [], expect: [] }`,
    '2:26 Mexico_City is not a time zone => America/Mexico_City',
  ],
])('%s', (text, mistake) => {
  expect(mistakesOf(text)).toEqual([mistake]);
});

it.each([
  [
    then('{ action: 2, message: "<b>Stop</b>" }'),
    '5:34 warning: <b> is shown literally: the format is text => format: html',
  ],
  [
    then('{ action: 2, message: "Stop {order.amount}" }'),
    '5:39 warning: {order.amount} is shown literally => {{order.amount}}',
  ],
  [when('order.amount / 0 > 1'), '4:11 warning: a division by 0 is always missing => another divisor'],
  [
    `${when('f >= -1')}\nfeatures:\n  f: { count: true, by: client.id, over: 1d }`,
    '4:16 warning: f is never -1 => 0 or more',
  ],
  [
    `lists:\n  l: { of: publicIp, items: [203.0.113.7/24, '2001:db8::1/32'] }\n${when('publicIp in lists.l')}`,
    '2:30 warning: 203.0.113.7/24 covers all of 203.0.113.0/24 => 203.0.113.0/24',
    '2:46 warning: 2001:db8::1/32 covers all of 2001:db8::/32 => 2001:db8::/32',
  ],
  [
    `lists:\n  l: { of: payee.id, items: [A/1, B/2, A/1] }\n${when('payee.id in lists.l')}`,
    '2:40 warning: A/1 is in this list twice => once: it is also in line 2',
  ],
  [
    test('at: +0s, login: { channelId: 1, user: ana, publicIP: a, publicIp: a, data: d }'),
    '7:69 warning: login has no publicIP => publicIp',
  ],
])('checks, with a warning: %s', (text, ...warnings) => {
  expect(mistakesOf(text)).toEqual(warnings);
});

it('names the place of the other definition', () => {
  const files = [
    { path: 'a.yaml', text: then('{ action: 2 }') },
    { path: 'b.yaml', text: then('{ action: 2 }').replace('reason: 1', 'reason: 2') },
  ];
  const result = loadPolicy(files);
  expect(result).toMatchObject({
    ok: false,
    errors: [{ file: 'b.yaml', line: 2, message: 'there are two rules "n": this one and a.yaml, line 2' }],
  });
});

it('does not warn of features that only a broken file reads', () => {
  const result = loadPolicy([
    { path: 'a.yaml', text: 'features:\n  f: { count: true, by: client.id, over: 1d }' },
    { path: 'b.yaml', text: `${when('f > 1')}\n  - {` },
  ]);
  expect(result).toMatchObject({ ok: false, errors: [{ file: 'b.yaml', line: 6, message: '{ is not closed' }] });
});

it('names the pack that was meant', () => {
  const files = [{ path: 'a.yaml', text: 'use: [account-takover]' }];
  expect(loadPolicy(files, { packNames: ['account-takeover', 'card-testing'] })).toMatchObject({
    errors: [{ message: 'there is no pack account-takover', suggestion: 'account-takeover' }],
  });
});

it('ignores tests when a stored version is loaded', () => {
  const files = [{ path: 'a.yaml', text: test('at: +0s, login: { channelId: one }') }];
  expect(loadPolicy(files).ok).toBe(false);
  expect(loadPolicy(files, { withTests: false })).toMatchObject({ ok: true, policy: { tests: [] } });
});

it('a text that braces cut before a word that is a name there', () => {
  expect(mistakesOf(then(`{ action: 2, message: Hello, message }`))).toContain(
    "5:40 a text with a comma needs quotes within { }: it ends before message => '… , message', the whole text in quotes",
  );
});
