import { describe, expect, it } from 'vitest';
import { mistakesOf } from '../load.ts';

/** Policies that check, but never fire, always fire, or have no effect: warned of if that is certain. */
const when = (condition: string): string =>
  `rules:\n  - reason: 1\n    name: n\n    when: ${condition}\n    then: { action: 2 }\n`;
const reading = (feature: string, condition: string): string => `${when(condition)}features:\n  f: { ${feature} }\n`;
/** Warnings without their place. */
const warningsOf = (text: string): readonly string[] =>
  mistakesOf(text).map((line) => line.replace(/^\d+:\d+ warning: /, ''));

describe('two comparisons of one value', () => {
  it.each([
    ['event.hour >= 22 && event.hour < 6', 'event.hour >= 22 || event.hour < 6'],
    ['timeOfDay(event.at) > 22h && timeOfDay(event.at) < 6h', 'timeOfDay(event.at) > 22h || timeOfDay(event.at) < 6h'],
    ['order.amount > 5 && 5 > order.amount', 'order.amount > 5 || 5 > order.amount'],
    ['order.amount > -1.5 && order.amount == -2', 'order.amount > -1.5 || order.amount == -2'],
    ['order.currency == "MXN" && order.currency == "USD"', 'order.currency == "MXN" || order.currency == "USD"'],
    ['device.isNew && device.isNew == false', 'device.isNew || device.isNew == false'],
  ])('are never both true: %s', (condition, instead) => {
    const [a, b] = condition.split(' && ');
    expect(warningsOf(when(condition))).toEqual([`${a} and ${b} are never both true => ${instead}`]);
  });

  it('are found anywhere in a chain, and in where', () => {
    const chain = 'order.amount > 9 && (device.isNew || (event.hour > 5 && has(payee.id) && event.hour < 5))';
    const told = 'event.hour > 5 and event.hour < 5 are never both true => event.hour > 5 || event.hour < 5';
    expect(mistakesOf(when(chain))).toEqual([`4:49 warning: ${told}`]);
    const where = 'count: true, by: client.id, over: 1d, where: event.hour > 5 && event.hour < 5';
    expect(warningsOf(reading(where, 'f > 1'))).toEqual([told]);
  });

  it.each([
    ['order.currency != "MXN" || order.currency != "USD"', 'order.currency != "MXN" && order.currency != "USD"'],
    ['event.hour >= 6 || event.hour < 22', 'event.hour >= 6 && event.hour < 22'],
  ])('cover every value: %s', (condition, instead) => {
    const [a, b] = condition.split(' || ');
    expect(warningsOf(when(condition))).toEqual([`one of ${a} and ${b} is always true => ${instead}`]);
  });

  it.each([
    'event.hour >= 22 || event.hour < 6',
    'event.hour > 5 && event.hour < 22',
    'order.amount >= 5 && order.amount <= 5',
    'order.amount > 5 && order.amount != 6',
    'order.currency != "MXN" && order.currency != "USD"',
    'order.currency == "MXN" || order.currency == "USD"',
    'order.amount > 5 && device.score < 5',
    'event.hour >= 22 && event.weekday < 6',
    'account.bank < "A" && account.bank > "B"',
    'order.amount > 5 && order.amount < 6',
    'client.logins >= 5 && client.logins < 6',
    'client.logins > 5 && client.logins < 7',
  ])('may both be meant: %s', (condition) => {
    expect(mistakesOf(when(condition))).toEqual([]);
  });
});

describe('what a whole number can be', () => {
  it.each([
    ['client.logins > 5 && client.logins < 6', 'are never both true'],
    ['client.logins > 5.2 && 5.9 > client.logins', 'are never both true'],
    ['transaction.description.size() > 5 && transaction.description.size() < 6', 'are never both true'],
  ])('is never between two bounds like these: %s', (condition, what) => {
    const [a, b] = condition.split(' && ');
    expect(warningsOf(when(condition))).toEqual([`${a} and ${b} ${what} => a whole number between the two`]);
  });

  it('is always on one side of them', () => {
    expect(warningsOf(when('client.logins <= 5 || client.logins >= 6'))).toEqual([
      'one of client.logins <= 5 and client.logins >= 6 is always true => a whole number between the two',
    ]);
  });

  it('is checked for counts too', () => {
    expect(warningsOf(reading('count: true, by: client.id, over: 1d', 'f > 5 && f < 6'))).toEqual([
      'f > 5 and f < 6 are never both true => a whole number between the two',
    ]);
  });
});

describe('a condition with the same result for every event', () => {
  it.each([
    ['order.amount * 0 > 5', 'order.amount * 0 is always 0 => another factor'],
    ['0.0 * event.hour < 5.0', '0.0 * event.hour is always 0 => another factor'],
    ['has(event.kind) && device.isNew', 'every event has event.kind => remove it'],
    ['session.logins.orValue(0) > 5', 'every event has session.logins => session.logins'],
  ])('%s', (condition, told) => {
    expect(warningsOf(when(condition))).toEqual([told]);
  });

  it.each(['.*', '^.*$', '.+', 'a*', 'gift|', '^', '[0-9]*$', '(?s).*', '(?m)^', '(gift)?'])(
    'a pattern that matches any text: %s',
    (pattern) => {
      expect(warningsOf(when(`'account.bank.matches("${pattern}")'`))).toEqual([
        'the pattern matches any text, because it is searched for anywhere in it => ^ and $ around the pattern to match the whole text, or has(…)',
      ]);
    },
  );

  it.each(['^$', '^[a-z]*$', 'gift', '.*gift', '\\\\b', '^gift$|^card$', '^.{3}', '(?i)a+'])(
    'a pattern that distinguishes texts: %s',
    (pattern) => {
      expect(mistakesOf(when(`'account.bank.matches("${pattern}")'`))).toEqual([]);
    },
  );

  it.each(['has(client.id)', 'order.amount * 1 > 5', 'session.closedFor.orValue(0s) > 5s'])(
    'no warning for: %s',
    (condition) => {
      expect(mistakesOf(when(condition))).toEqual([]);
    },
  );
});

describe('a text that a fact never is', () => {
  it.each([
    ['order.currency == ""', 'order.currency is never "" => !has(order.currency)'],
    ['"" != payee.id', 'payee.id is never "" => has(payee.id)'],
    ['order.currency in ["MXN", ""]', 'order.currency is never "" => remove it: a value of "" is missing'],
    ['payee.id == "123"', 'payee.id is never "123" => BANK/123, or /123 without a bank'],
    ['order.currency == "mxn"', 'order.currency is never "mxn" => the code in capitals, such as "MXN"'],
    ['ip.country in ["MX", "Spain"]', 'ip.country is never "Spain" => two capital letters, such as "MX"'],
    ['ip.country == "UK"', 'ip.country is never "UK" => "GB"'],
    [
      'ip.country in ["es", "XX"]',
      'ip.country is never "es" => "ES"',
      'ip.country is never "XX" => two capital letters, such as "MX"',
    ],
    [
      'creditCard.hash == "5d41402abc4b2a76b9719d911017c592"',
      'creditCard.hash is never "5d41402abc4b2a76b9719d911017c592" => a live list, filled from events: ingest replaces the hash that is sent by a keyed one, which it never equals',
    ],
    [
      'transaction.description.matches("bitcoin")',
      'matches looks at the first 512 characters of transaction.description, which can have 4096 => transaction.description.contains(…), which looks at all of it, or || transaction.description.size() > 512 for what is longer',
    ],
    [
      'event.at.getHours("EST") == 1',
      '"EST" says no place: its clock may not be the one that is meant => a name with a place, such as "America/Mexico_City", or an offset, such as "-06:00"',
    ],
    ['ip.network == "203.0.113.0"', 'ip.network is never "203.0.113.0" => a network, such as "203.0.113.0/24"'],
    ['ip.subnet == "203.0.113.7"', 'ip.subnet is never "203.0.113.7" => "203.0.113.7/32"'],
    ['session.ip == "::FFFF:203.0.113.7"', 'session.ip is never "::FFFF:203.0.113.7" => "203.0.113.7"'],
    ['publicIp == "[2001:DB8::7]:443"', 'publicIp is never "[2001:DB8::7]:443" => "2001:db8::7"'],
    [
      'publicIp == "203.0.113.0/24"',
      'publicIp is never "203.0.113.0/24" => publicIp in lists.office, where lists.office is a list of publicIp: it looks up ranges',
    ],
    ['order.currency.upperAscii() == "mxn"', 'order.currency.upperAscii() is never "mxn" => "MXN"'],
    ['account.email.lowerAscii().endsWith("@X.COM")', 'account.email.lowerAscii() never contains "@X.COM" => "@x.com"'],
    [
      'transaction.description.plain().contains("Canción")',
      'transaction.description.plain() never contains "Canción" => "cancion"',
    ],
    [
      '["Bono"].exists(word, word == transaction.type || transaction.type.plain() == "Bono")',
      'transaction.type.plain() is never "Bono" => "bono"',
    ],
  ])('is reported: %s', (condition, ...told) => {
    expect(warningsOf(when(`>-\n      ${condition}`))).toEqual(told);
  });

  it.each([
    'data == ""',
    'transaction.details["note"] == ""',
    'transaction.description.contains("/")',
    'payee.id == "/123" || ip.country == "MX" || ip.address == "203.0.113.7"',
    'order.currency.upperAscii() == "MXN" && transaction.type.plain() == "bono 1"',
  ])('is accepted: %s', (condition) => {
    expect(mistakesOf(when(`>-\n      ${condition}`))).toEqual([]);
  });

  it('is reported among the items of a list', () => {
    const lists = `lists:
  payees: { of: payee.id, items: [BANK/1, "2"] }
  kinds: { of: event.kind, items: [login, transfer] }
  countries: { of: ip.country, items: [MX, Spain] }
`;
    const condition = 'payee.id in lists.payees || event.kind in lists.kinds || ip.country in lists.countries';
    expect(mistakesOf(`${lists}${when(condition)}`)).toEqual([
      '2:43 warning: payee.id is never 2 => BANK/123, or /123 without a bank',
      '3:43 warning: event.kind is never transfer => one of login, logout, operation',
      '4:44 warning: ip.country is never Spain => two capital letters, such as "MX"',
    ]);
  });
});

describe('a number that a value never is', () => {
  it.each([
    ['habit: event.hour, by: client.id, over: 30d', 'f < 5', 'f is never 5 => 0 to 1'],
    ['topShare: payee.id, by: client.id, over: 30d', 'f > 50', 'f is never 50 => 0 to 1'],
    ['fraudShare: true, after: 2d, by: payee.id, over: 30d', 'f > 5', 'f is never 5 => 0 to 1'],
    ['topShare: payee.id, by: client.id, over: 30d', 'f > 0.5 && f < 1', undefined],
  ])('is reported for shares: %s, %s', (feature, condition, told) => {
    expect(warningsOf(reading(feature, condition))).toEqual(told === undefined ? [] : [told]);
  });

  it.each([
    ['similarity(account.email, accountTo.client) > 90', 'is never 90 => 0 to 1'],
    ['device.score > 101', 'is never 101 => 0 to 100'],
    ['timeOfDay(event.at) < 25h', 'is never 1d1h => 0s to 24h'],
  ])('is reported for functions and facts: %s', (condition, told) => {
    expect(warningsOf(when(condition))).toEqual([expect.stringContaining(told)]);
  });
});

describe('a comparison that no number satisfies', () => {
  const count = 'count: true, by: client.id, over: 1d';

  it.each([
    ['event.hour > 23', 'event.hour > 23 is never true => it is 0 to 23'],
    ['f < 0', 'f < 0 is never true => it is 0 or more'],
    ['0 > f', '0 > f is never true => it is 0 or more'],
    ['f == -1', 'f is never -1 => 0 or more'],
    ['f == 1.5', 'f is never 1.5 => a whole number'],
    ['f in [1, 2.5]', 'f is never 2.5 => a whole number'],
    ['ip.version == 5', 'ip.version is never 5 => 4 or 6'],
    ['session.age < 0s', 'session.age < 0s is never true => it is 0 or more'],
    ['session.age > -5m', 'session.age is never -5m => 0 or more'],
    ['transaction.description.size() < 0', 'transaction.description.size() < 0 is never true => it is 0 or more'],
    ['ip.latitude > 90', 'ip.latitude > 90 is never true => it is -90 to 90'],
    ['event.score < 0 && device.isNew', 'event.score < 0 is never true => it is 0 or more'],
  ])('is reported: %s', (condition, told) => {
    expect(warningsOf(reading(count, condition))).toContain(told);
  });

  it.each([
    'event.hour >= 0 && event.hour < 6',
    'event.hour >= 22 && event.hour <= 23',
    'f >= 0 && f < 5',
    'f < 1 || f == 2.0 || f > 2.5',
    'timeOfDay(event.at) < 24h',
    'ip.version in [4, 6] && f > 0',
    'order.amount < 0',
    'order.amount == 1.5',
  ])('may be meant: %s', (condition) => {
    expect(warningsOf(reading(count, `${condition} && f != 3`))).toEqual([]);
  });

  it('uses the written digits, which a double cannot distinguish', () => {
    expect(warningsOf(when('order.amount < 12345678901234.000001 && order.amount >= 12345678901234'))).toEqual([]);
    expect(warningsOf(when('order.amount < 12345678.01 && order.amount >= 12345678.01'))).toHaveLength(1);
  });
});

describe('a part that was copied and not changed', () => {
  it.each([
    ['order.amount > order.amount', 'order.amount is compared with itself => something else on one side'],
    [
      'order.currency.upperAscii() != order.currency.upperAscii()',
      'order.currency.upperAscii() is compared with itself => something else on one side',
    ],
    [
      'order.amount > 5 || device.isNew || order.amount > 5',
      'order.amount > 5 appears here twice => remove one, or write another',
    ],
    ['transaction.type.startsWith("")', 'every text contains "" => has(transaction.type), or a text'],
    ['event.kind in ["logn", "logout"]', 'event.kind is never "logn" => "login"'],
    ['ip.continent in ["XX"]', 'ip.continent is never "XX" => one of AF, AN, AS, EU, NA, OC, SA'],
  ])('is reported: %s', (condition, ...told) => {
    expect(warningsOf(when(`>-\n      ${condition}`))).toEqual(told);
  });

  it('is reported in every rule with it, and once for each place', () => {
    const rule = (reason: number): string =>
      `  - { reason: ${reason}, name: r${reason}, when: 'event.hour == 24 && order.amount > 5', then: { action: 2 } }\n`;
    expect(mistakesOf(`rules:\n${rule(1)}${rule(2)}`)).toEqual([
      '2:49 warning: event.hour is never 24 => 0 to 23',
      '3:49 warning: event.hour is never 24 => 0 to 23',
    ]);
  });
});

describe('a definition without effect', () => {
  it('is a feature of the one value that its entity has, and a ratio of one feature', () => {
    const of = (feature: string): readonly string[] => warningsOf(reading(feature, 'has(f)'));
    const told = 'f is kept per payee.id, so it only ever sees one value of it => by without payee.id';
    expect(of('distinct: payee.id, by: [client.id, payee.id], over: 1d')).toEqual([told]);
    expect(of('topShare: payee.id, by: payee.id, over: 1d')).toEqual([told]);
    expect(of('distinct: user, by: client.id, over: 1d')).toEqual([told.replaceAll('payee.id', 'user')]);
    expect(of('sum: channelId, by: channelId, over: 1d')).toEqual([]);
    const ratio = '  a: { count: true, by: client.id, over: 1d }\n  b: { ratio: a, to: a }\n';
    expect(warningsOf(`${when('b > 1')}features:\n${ratio}`)).toEqual([
      'b divides a by itself: it is always 1 => the name of another feature',
    ]);
  });

  it('is a list that nothing reads, and a group without rules', () => {
    const idle = 'lists: { l: { of: payee.id, live: true } }\ngroups: { g: { priority: 1 } }\n';
    expect(warningsOf(`${idle}${when('order.amount > 1')}`)).toEqual([
      'nothing reads lists.l => remove it until something reads it',
      'no rule is in group g => group: g in a rule, or remove the group',
    ]);
    const counted = 'count: true, by: client.id, over: 1d, where: payee.id in lists.l';
    expect(warningsOf(`${idle}${reading(counted, 'f > 1')}`)).toHaveLength(1);
  });

  const both = (first: string, second: string, match = 'first'): readonly string[] =>
    warningsOf(`groups: { g: { priority: 1, match: ${match} } }
rules:
  - { reason: 1, name: a, group: g, then: { action: 2 }, ${first} }
  - { reason: 2, name: b, group: g, then: { action: 2 }, ${second} }
  - { reason: 3, name: scored, when: order.amount > 1, score: 5, then: { action: 2 } }
`);

  it.each([
    ['when: event.score >= 30', 'when: event.score >= 70'],
    ['when: order.amount > 1', 'when: device.isNew && order.amount == 5'],
    ['when: order.currency != "MXN"', 'when: order.currency == "USD"'],
    ['when: order.amount > 1, on: [operation]', 'when: order.amount > 1 && has(payee.id), mode: shadow'],
  ])('is a rule that is never reached: after %s, %s', (first, second) => {
    const told = 'rule 2 is never reached: rule 1 is evaluated before it, and fires on every event that it matches';
    expect(both(first, second)).toEqual([`${told} => a priority below that of rule 1, which is 1000`]);
  });

  it.each([
    ['when: event.score >= 70', 'when: event.score >= 30'],
    ['when: event.score >= 30, mode: shadow', 'when: event.score >= 70'],
    ['when: event.score >= 30, share: 50%', 'when: event.score >= 70'],
    ['when: event.score >= 30', 'when: event.score >= 70, priority: 1'],
    ['when: event.score >= 30, on: [login]', 'when: event.score >= 70'],
    ['when: order.amount > 5 || device.isNew', 'when: order.amount > 9'],
    ['when: order.amount > 5 && device.isNew', 'when: order.amount > 9'],
  ])('is not a rule that is reached: after %s, %s', (first, second) => {
    expect(both(first, second)).toEqual([]);
  });

  it('is not in a group that evaluates all rules', () => {
    expect(both('when: event.score >= 30', 'when: event.score >= 70', 'all')).toEqual([]);
  });
});
