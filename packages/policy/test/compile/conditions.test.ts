import { describe, expect, it } from 'vitest';
import { decimal, evaluate, type Given } from '../evaluate.ts';

const facts: Given = {
  'order.amount': decimal('1000.10'),
  'order.currency': 'MXN',
  'transaction.category': 'Transfer',
  'transaction.description': 'Gift card for José 🎁',
  'transaction.details': new Map([
    ['fee', '12.50'],
    ['installments', '6'],
    ['note', ''],
  ]),
  'client.firstSeen': 0,
  'client.known': true,
  'client.blocked': false,
  'client.logins': 7,
  'event.at': Date.UTC(2026, 10, 21, 2, 14, 5),
  'event.loggedAt': Date.UTC(2026, 10, 21, 2, 14, 35),
  'event.kind': 'operation',
  channelId: 2,
  count24h: 3,
  avg30d: decimal('333.333333333333'),
  ratio: 0.5,
};

const holds: readonly string[] = [
  // Numbers of mixed types
  'order.amount > 1000',
  'order.amount == 1000.10',
  'order.amount != 1000.1000000001',
  'order.amount >= 1000.1 && order.amount <= 1000.1',
  'order.amount > 3 * avg30d',
  'order.amount < 3.001 * avg30d',
  '1000 < order.amount',
  'client.logins == 7.0',
  'client.logins > 6.5',
  'ratio == 0.5 && ratio < 1 && 1 > ratio',
  'order.amount > ratio',
  'order.amount * ratio == 500.05',
  'count24h * 1.5 == 4.5',
  '-order.amount < -1000',
  'order.amount % 100 == 0.1',
  'order.amount / 4 == 250.025',
  'order.amount - 0.1 == 1000',
  'client.logins / 2 == 3',
  'client.logins % 4 == 3',
  '-client.logins / 2 == -3',
  '7 - 2 * 3 == 1',
  'decimal(0.1) + decimal(0.2) == 0.3',
  'avg30d * 3 == 999.999999999999',
  'int(order.amount) == 1000',
  'double(order.amount) == 1000.1',
  'abs(-client.logins) == 7 && abs(-0.5) == 0.5 && abs(-order.amount) == 1000.1',
  '9223372036854775807 > 9007199254740993 && 9007199254740993 - 9007199254740992 == 1',
  '9007199254740992 == 9007199254740992.0 && 9007199254740993 != 9007199254740992.0',
  'int("9223372036854775807") / 10 == 922337203685477580',
  // Membership
  'order.amount in [5, 1000.1]',
  'client.logins in [7.0, 8.5]',
  'ratio in [0.5]',
  'channelId in lists.channels',
  '!(order.amount in lists.amounts)',
  '99.99 in lists.amounts',
  'order.currency in ["USD", "MXN"]',
  'order.currency in [transaction.category, "MXN"]',
  '"fee" in transaction.details && !("tip" in transaction.details)',
  // Text
  'transaction.category == "Transfer"',
  "transaction.category == 'Transfer'",
  'transaction.category.lowerAscii() == "transfer"',
  'transaction.category.upperAscii() == "TRANSFER"',
  'transaction.description.lowerAscii().contains("gift")',
  'transaction.description.startsWith("Gift")',
  'transaction.description.endsWith("🎁")',
  'transaction.description.size() == 20',
  'size("🎁") == 1',
  'transaction.description.matches("(?i)gift ?card")',
  '!transaction.description.matches("^card")',
  '"  x ".trim() == "x"',
  '"a" + "b" == "ab" && "a" < "b"',
  'lists.words.exists(word, transaction.description.lowerAscii().contains(word))',
  'lists.words.all(word, word.size() == 4)',
  'lists.words.exists_one(word, word.startsWith("g"))',
  '!["x", "y"].exists(word, word == order.currency)',
  '[1, 2, 3].all(n, [0, 1].exists(m, n > m))',
  // Lists
  'lists.words.size() == 2 && lists.words[0] == "gift" && lists.words == ["gift", "card"]',
  '[order.currency, "USD"].filter(x, x != "USD") == ["MXN"]',
  '[1, 2, 3].map(n, n * client.logins) == [7, 14, 21] && [1, 2, 3].map(n, n > 1, n * 2) == [4, 6]',
  '[1] + [2, 3] == [1, 2, 3] && 2 in [1] + [2] && ([] + [1]).size() == 1',
  '[[1, 2], [3]].exists(row, row.exists(n, n == 3)) && [[1, 2], [3]][1][0] == 3',
  'transaction.details.exists(key, key.startsWith("f")) && !transaction.details.all(key, transaction.details[key] != "")',
  '[1, 2, 3].exists(n, n == 2 && lists.words.all(w, w.size() > n))',
  // Maps
  '{"a": 1, "b": client.logins}.b == 7 && {"a": {"b": 2}}.a.b == 2 && "a" in {"a": 1} && {1: 2}[1] == 2',
  '{"a": 1} == {"a": 1} && has({"a": 1}.a) && !has({"a": 1}.b) && {"a-b": 5}.`a-b` == 5',
  'transaction.details["fee"] == "12.50"',
  'transaction.details.fee == "12.50"',
  'decimal(transaction.details["fee"]) > 12.4',
  'int(transaction.details.installments) == 6',
  'transaction.details.size() == 3 && size(transaction.details) == 3',
  // Time
  'client.firstSeen == 0s',
  'client.firstSeen < 15m && client.firstSeen < duration("15m")',
  'event.loggedAt - event.at == 30s',
  'event.at + 1m > event.loggedAt',
  'event.loggedAt - 30s == event.at',
  '1m + 30s == 90s && 1h - 30m == 30m && 2 * 15m == 30m',
  'event.at > timestamp("2026-11-20T20:14:00-06:00")',
  'event.at.getHours() == 2 && event.at.getMinutes() == 14',
  'event.at.getHours("-06:00") == 20 && event.at.getDayOfWeek("-06:00") == 5',
  'event.at.getDayOfWeek() == 6',
  'event.at.getDate() == 21 && event.at.getDate("-06:00") == 20',
  'duration("1h2m3s").getHours() == 1 && 1h2m3s.getMinutes() == 62 && (1h2m3s).getSeconds() == 3723',
  // Logic
  'client.known || client.blocked',
  '!client.blocked',
  'client.known ? order.amount > 1 : false',
  '(client.known ? 1 : 2.5) == 1',
  'event.kind == "operation"',
  'client.known == true && client.blocked != true',
  'has(order.amount) && !has(payee.id) && has(transaction.details["fee"]) && !has(transaction.details.tip)',
  'session.closedFor.orValue(5s) == 5s',
  'order.amount.orValue(1) == 1000.1',
  'transaction.details["tip"].orValue("none") == "none"',
];

describe('a condition that is true', () => {
  it.each(holds)('%s', (text) => {
    expect(evaluate(text, facts)).toBe(true);
  });
});

describe('a condition that is false', () => {
  it.each(holds)('!(%s)', (text) => {
    expect(evaluate(`!(${text})`, facts)).toBe(false);
  });
});

/** An expression without a value is missing. */
describe('missing', () => {
  it.each([
    'client.logins / 0 == 1',
    'client.logins % 0 == 1',
    'order.amount / 0 == 1',
    'ratio / 0.0 > 1',
    '9223372036854775807 + client.logins > 0',
    '-9223372036854775808 - client.logins > 0',
    '1e308 * 10.0 * ratio > 0',
    'int(transaction.details["note"]) == 0',
    'int(transaction.details["fee"]) == 12',
    'decimal(transaction.details["note"]) == 0',
    'transaction.details["tip"] == "x"',
    'payee.id == "x"',
  ])('%s', (text) => {
    expect(evaluate(text, facts)).toBeUndefined();
  });
});
