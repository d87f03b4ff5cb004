import { describe, expect, it } from 'vitest';
import { factsReadInPart } from '../../src/lint/partial-reads.ts';
import { searchPolicy } from '../../src/explain/search-policy.ts';

const files = [
  { path: 'lists.yaml', text: 'lists: { pairs: { of: [client.id, payee.id], items: [[ana, B1/42]] } }\n' },
];

function readInPart(condition: string): readonly string[] {
  const result = searchPolicy(files, condition);
  expect(result, condition).toMatchObject({ ok: true });
  return result.ok ? factsReadInPart(result.search.rule).map(({ path }) => path) : [];
}

describe('facts that a condition reads in part', () => {
  it.each([
    'client.id == "ana"',
    '"ana" == client.id',
    'client.id != "ana"',
    '!(client.id == "ana") || client.id in ["ben", "eva"]',
    'transaction.details.key == "a"',
    'transaction.details["key"] == "a" && "key" in transaction.details',
    'ip.address in ["203.0.113.7", "2001:db8::1"]',
    'account.clientRefId == -5',
    'has(account.email)',
    'client.id == "a//\\n" //',
    '[client.id, payee.id] in lists.pairs',
  ])('are not reported in %s', (condition) => expect(readInPart(condition)).toEqual([]));

  it.each([
    ['client.id.startsWith("a")', 'client.id'],
    ['client.id < "b"', 'client.id'],
    ['!(client.id >= "b")', 'client.id'],
    ['size(client.id) == 3', 'client.id'],
    ['client.id.matches("^a")', 'client.id'],
    ['client.id + "x" == "anax"', 'client.id'],
    ['[client.id].exists(one, one.startsWith("a"))', 'client.id'],
    ['["a", "b"].exists(one, client.id.contains(one))', 'client.id'],
    ['(true ? client.id : "x") == "ana"', 'client.id'],
    ['client.id.split("")[0] == "a"', 'client.id'],
    ['transaction.details["key"].startsWith("a")', 'transaction.details'],
    ['transaction.details.key.startsWith("a")', 'transaction.details'],
    ['transaction.details.exists(key, key.startsWith("a"))', 'transaction.details'],
    ['transaction.details.map(key, transaction.details[key]) == ["a"]', 'transaction.details'],
    ['account.clientRefId + 1 > 7', 'account.clientRefId'],
    ['account.clientRefId > 7', 'account.clientRefId'],
    ['account.email == client.id', 'account.email'],
    ['ip.address in ["203.0.0.0/17"]', 'ip.address'],
    ['ip.address in ["203.0.113.7", "203.0.0.0/17"]', 'ip.address'],
    ['order.amountText in [client.id]', 'client.id'],
    ['order.amountText.contains(client.id)', 'client.id'],
    ['nameSimilarity(client.id, "ana") > 0.5', 'client.id'],
    ['[client.id, "B1/42"] in lists.pairs', 'client.id'],
    ['[client.id, payee.id] == ["ana", "B1/42"]', 'payee.id'],
    ['client.id == "ana" && client.id.startsWith("a")', 'client.id'],
  ])('are reported for %s', (condition, path) => expect(readInPart(condition)).toContain(path));
});
