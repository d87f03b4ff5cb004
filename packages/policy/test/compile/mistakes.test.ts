import { describe, expect, it } from 'vitest';
import { check, mistakeOf } from '../evaluate.ts';

describe('names', () => {
  it.each([
    ['order.amonut > 1', '"order.amonut": there is no fact or feature order.amonut => order.amount'],
    ['amount > 1', '"amount": there is no fact or feature amount => order.amount'],
    ['transaction.amount > 1', '"transaction.amount": there is no fact or feature transaction.amount => order.amount'],
    ['account.amout > 1', '"account.amout": there is no fact or feature account.amout => order.amount'],
    [
      'transaction.catgory == "a"',
      '"transaction.catgory": there is no fact or feature transaction.catgory => transaction.category',
    ],
    ['acount.client == "a"', '"acount.client": there is no fact or feature acount.client => account.client'],
    ['client.email == "a"', '"client.email": there is no fact or feature client.email => account.email'],
    ['login.hour > 1', '"login.hour": there is no fact or feature login.hour => event.hour'],
    ['transaction.category == transfer', '"transfer": there is no fact or feature transfer => "transfer"'],
    ['transaction.category in ["card", transfer]', '"transfer": there is no fact or feature transfer => "transfer"'],
    ['transaction.description.contains(gift)', '"gift": there is no fact or feature gift => "gift"'],
    ['session.mismatch == noLogn', '"noLogn": there is no fact or feature noLogn => "noLogin"'],
    ['transaction.category == usr', '"usr": there is no fact or feature usr => user'],
    ['transaction.category == device', '"device": device is a group of facts, not a fact => device.id'],
    ['order.amount > transfer', '"transfer": there is no fact or feature transfer'],
    ['count24 > 1', '"count24": there is no fact or feature count24 => count24h'],
    ['session == "s"', '"session": session is a group of facts, not a fact => session.id'],
    ['weather', '"weather": there is no fact or feature weather'],
    ['payee.id in lists.wrds', '"lists.wrds": there is no list lists.wrds => lists.words'],
    [
      'lists.words',
      '"lists.words": a condition must be true or false, but lists.words is a list<string> => x in lists.words, or lists.words.exists(x, …)',
    ],
    ['event.kind == "logn"', '"\\"logn\\"": event.kind is never "logn" => "login"'],
    [
      'session.closedBy != "timeout"',
      '"\\"timeout\\"": session.closedBy is never "timeout" => one of none, logout, action, idle, absolute',
    ],
    ['user.name == "x"', '"user.name": user has no members => user'],
  ])('%s', (text, mistake) => {
    expect(mistakeOf(text)).toBe(mistake.replaceAll('\\"', '"'));
  });
});

describe('numbers that a value can never be', () => {
  it.each([
    ['event.weekday == 7', '"7": event.weekday is never 7 => 0 (Sunday) to 6'],
    ['weekday(event.at) in [6, 7]', '"7": weekday(event.at) is never 7 => 0 (Sunday) to 6'],
    ['24 == hour(event.at)', '"24": hour(event.at) is never 24 => 0 to 23'],
    ['event.hour > -1', '"-1": event.hour is never -1 => 0 to 23'],
    ['event.at.getMonth() == 12', '"12": event.at.getMonth() is never 12 => 0 (January) to 11'],
    [
      'event.at.getHours("America/Mexico_City") >= 24',
      '"24": event.at.getHours("America/Mexico_City") is never 24 => 0 to 23',
    ],
  ])('%s', (text, mistake) => {
    expect(mistakeOf(text)).toBe(mistake);
    expect(check(text)).toMatchObject({ compiled: { type: 'bool' }, mistakes: [{ severity: 'warning' }] });
  });

  it.each(['event.weekday in [0, 6]', 'hour(event.at) <= 23', 'session.age.getHours() == 24', 'event.hour + 1 == 24'])(
    'does not warn of %s',
    (text) => {
      expect(check(text).mistakes).toEqual([]);
    },
  );
});

describe('types', () => {
  it.each([
    [
      'order.amount',
      '"order.amount": a condition must be true or false, but order.amount is a decimal => a comparison: order.amount == …, or has(order.amount)',
    ],
    [
      'order.amount > "5"',
      '"order.amount > "5"": order.amount is a decimal and can\'t be compared with a string => a number without quotes',
    ],
    [
      '1 < order.amount < 5',
      '"1 < order.amount < 5": 1 < order.amount is true or false and can\'t be compared with a whole number => 1 < order.amount && order.amount < 5',
    ],
    [
      'order.currency == 5',
      '"order.currency == 5": order.currency is a string and can\'t be compared with a whole number => "5", or decimal(x) for a text that contains a number',
    ],
    [
      'client.firstSeen < 5',
      '"client.firstSeen < 5": client.firstSeen is a duration and can\'t be compared with a whole number => a duration: 5s, 5m or 5h',
    ],
    [
      'event.at > "2026"',
      '"event.at > "2026"": event.at is a timestamp and can\'t be compared with a string => timestamp("2026-01-31T00:00:00Z"), or event.at - x > 15m',
    ],
    ['client.known > true', '"client.known > true": > on true and false orders false before true => == or !='],
    [
      'transaction.details > transaction.details',
      '"transaction.details > transaction.details": > does not work on a map => == or !=',
    ],
    [
      'transaction.details == "x"',
      '"transaction.details == "x"": transaction.details is a map and can\'t be compared with a string => a member, such as transaction.details["key"]',
    ],
    [
      'order.currency == null',
      '"order.currency == null": a policy has no null: an absent value is missing => !has(order.currency)',
    ],
    [
      'null != order.currency',
      '"null != order.currency": a policy has no null: an absent value is missing => has(order.currency)',
    ],
    [
      'order.amount && client.known',
      '"order.amount": a condition must be true or false, but order.amount is a decimal => a comparison: order.amount == …, or has(order.amount)',
    ],
    ['event.at + event.at > event.at', '"event.at + event.at": + does not work on a timestamp and a timestamp'],
    ['event.at + 5 > event.at', '"event.at + 5": + does not work on a timestamp and a whole number'],
    [
      'client.firstSeen + 5 > 0s',
      '"client.firstSeen + 5": + does not work on a duration and a whole number => a duration such as 15m, 2h or 7d',
    ],
    [
      'order.amount + "5" > 0',
      '"order.amount + "5"": + does not work on a decimal and a string => a number without quotes',
    ],
    ['ratio % 2.0 == 0.0', '"ratio % 2.0": % works on whole numbers and decimals, not on doubles => int(x) % 10'],
    [
      '!order.amount',
      '"order.amount": a condition must be true or false, but order.amount is a decimal => a comparison: order.amount == …, or has(order.amount)',
    ],
    ['-order.currency == "x"', '"-order.currency": - does not work on a string => a number'],
    [
      'order.amount > 0.1234567890123',
      '"0.1234567890123": 0.1234567890123 does not fit a decimal => at most 18 digits before the point and 12 after it',
    ],
    [
      'client.logins in ["a"]',
      '"client.logins in ["a"]": client.logins is a whole number, but the list\'s items are of type string => items that are a whole number',
    ],
    [
      'order.currency in "MXN,USD"',
      '""MXN,USD"": "in" searches a list or a map, not a string => "MXN,USD".contains(order.currency)',
    ],
    [
      '1 in [1, "a"]',
      '""a"": the items of a list usually have one type, but here a whole number is followed by a string',
    ],
    ['1 in []', '"[]": the list is empty => at least one item'],
    ['order.currency["x"] == "y"', '"order.currency": a string has no members => transaction.details["key"]'],
    ['transaction.details[1] == "y"', '"1": a key is a string, not a whole number => transaction.details["key"]'],
    [
      '[1, 2] == 3',
      '"[1, 2] == 3": [1, 2] is a list<int> and can\'t be compared with a whole number => an item, such as list[0], or list.size()',
    ],
    ['[1, 2]["a"] == 1', '""a"": the position in a list is a whole number, not a string => [1, 2, 3][0]'],
    [
      '{1.5: 1}.size() == 1',
      '"1.5": a map key is a string, a whole number, or true or false, not a double => {"a": 1}',
    ],
    ['1u + 1 == 2', '"1u + 1": + does not work on an unsigned number and a whole number'],
    ['client.known ? 1 : "a"', '"1 : "a"": 1 is a whole number and can\'t be compared with a string => a whole number'],
  ])('%s', (text, mistake) => {
    expect(mistakeOf(text)).toBe(mistake);
  });
});

describe('functions', () => {
  it.each([
    ['foo(1) == 1', '"foo": there is no function foo'],
    ['order.currency.startWith("M")', '"startWith": there is no function startWith => startsWith(…)'],
    ['order.currency.toLowerCase() == "x"', '"toLowerCase": there is no function toLowerCase => lowerAscii()'],
    [
      'order.currency.like("M%")',
      '"like": there is no function like => contains(…), startsWith(…), or matches(…) with a pattern',
    ],
    [
      'lists.words.map(x, x) == 1',
      '"lists.words.map(x, x) == 1": lists.words.map(x, x) is a list<string> and can\'t be compared with a whole number => an item, such as list[0], or list.size()',
    ],
    [
      'order.amount.startsWith("1")',
      '"order.amount": startsWith belongs to a string, but order.amount is a decimal => string.startsWith(string): bool',
    ],
    [
      'user.startsWith(5)',
      '"5": startsWith takes a string, but 5 is a whole number => string.startsWith(string): bool',
    ],
    [
      'user.substring("a", "b") == ""',
      '""a"": substring takes a whole number, but "a" is a string => string.substring(int): string or string.substring(int, int): string',
    ],
    [
      'user.contains() || startsWith(user, "a")',
      '"contains": contains does not accept nothing on a string => string.contains(string): bool',
    ],
    ['event.at.hour() > 1', '"hour": hour can\'t be called like this => hour(event.at)'],
    ['mask(user) == "x"', '"mask": mask can\'t be called like this => user.mask()'],
    [
      'distance(1, 2, 3) > 5',
      '"distance": distance does not accept a whole number, a whole number, a whole number => distance(latitude: double, longitude: double, latitude: double, longitude: double): double',
    ],
    [
      'size(5) > 1',
      '"size": size does not accept a whole number => size(string): int or size(list): int or size(map): int or size(bytes): int',
    ],
    [
      'string(transaction.details) == ""',
      '"string": string does not accept a map => string(string): string or string(int): string or string(uint): string or string(double): string …',
    ],
    ['cel.bind(x, user, x == "a")', '"bind": there is no function bind => the value itself, in each place'],
    ['lists.words.exists(1, true)', '"1": a name is expected here => a new name, such as x'],
    ['lists.words.exists(user, true)', '"user": user already has a meaning => a new name, such as x'],
    ['user.exists(w, w == "a")', '"user": user is not a list => ["a", "b"], or lists.name'],
    [
      'lists.words.filter(w, w)',
      '"w": a condition must be true or false, but w is a string => a comparison: w == …, or has(w)',
    ],
    ['lists.words.map(w)', '"map": map needs a name and a value => ["a", "b"].map(x, x.size())'],
    [
      'lists.words.exists(word) == true',
      '"exists": exists needs a name and a condition => ["a", "b"].exists(x, x == transaction.type)',
    ],
    [
      'order.currency.matches(transaction.type)',
      '"transaction.type": matches needs a literal here => a text in quotes: transaction.reference.matches("^[A-Z]{3}[0-9]+$")',
    ],
    [
      'order.currency.matches("(a")',
      '""(a"": the pattern does not compile: missing closing ): `(a` => RE2 syntax: no look-around and no back-references',
    ],
    [
      'order.currency.matches("(?=a)")',
      '""(?=a)"": the pattern does not compile: invalid or unsupported Perl syntax: `(?=` => RE2 syntax: no look-around and no back-references',
    ],
    [
      'event.at.getHours("America/Mexico-City") == 1',
      '""America/Mexico-City"": "America/Mexico-City" is not a time zone => America/Mexico_City',
    ],
    ...['CST', 'BST', 'PST', 'IST'].map((zone): [string, string] => [
      `event.at.getHours("${zone}") == 1`,
      `""${zone}"": "${zone}" is not a time zone => a name with a place, such as "America/Mexico_City", or an offset, such as "-06:00"`,
    ]),
    [
      'client.firstSeen > duration("soon")',
      '""soon"": "soon" is not a duration => units in order, such as 15m, 1h30m or 7d',
    ],
    [
      'event.at > timestamp("2026-02-30T00:00:00Z")',
      '""2026-02-30T00:00:00Z"": "2026-02-30T00:00:00Z" is not an instant => such as 2026-01-31T00:00:00Z',
    ],
    [
      'has(1 + 1)',
      '"has(1 + 1)": has needs exactly one fact, feature or member => has(order.currency), has(transaction.details["key"])',
    ],
    ['order.amount.orValue() > 1', '"orValue": orValue needs one value, which replaces a missing one => x.orValue(0)'],
    ['["a"].exists(user, true)', '"user": user already has a meaning => a new name, such as x'],
    ['order.currency.exists(x, true)', '"order.currency": order.currency is not a list => ["a", "b"], or lists.name'],
  ])('%s', (text, mistake) => {
    expect(mistakeOf(text)).toBe(mistake);
  });
});

it('finds every mistake in one pass', () => {
  const { mistakes } = check('order.amonut > 1 && client.firstSeen < 5 || event.kind == "logn"');
  expect(mistakes.map((mistake) => mistake.message)).toEqual([
    'there is no fact or feature order.amonut',
    "client.firstSeen is a duration and can't be compared with a whole number",
    'event.kind is never "logn"',
  ]);
});

it('finds every mistake in calls and in the forms that bind names', () => {
  const { mistakes } = check(
    'user.contains(5) && lists.words.exist(w, w == 5) || lists.words.all(w, w > 5 && order.amonut > 1) && has(1)',
  );
  expect(mistakes.map(({ message, suggestion }) => `${message} => ${suggestion ?? ''}`)).toEqual([
    'contains takes a string, but 5 is a whole number => string.contains(string): bool',
    'there is no function exist => exists(…)',
    'w is a string and can\'t be compared with a whole number => "5", or decimal(x) for a text that contains a number',
    'there is no fact or feature order.amonut => order.amount',
    'has needs exactly one fact, feature or member => has(order.currency), has(transaction.details["key"])',
  ]);
});

it('warns if a division of whole numbers drops the remainder', () => {
  const { compiled, mistakes } = check('client.logins / client.operations > 2');
  expect(compiled).toBeDefined();
  expect(mistakes).toMatchObject([{ severity: 'warning', suggestion: '1.0 * client.logins / client.operations' }]);
});
