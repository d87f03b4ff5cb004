import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberMistake, membersMax } from '../../../src/platform/http/member-mistake.ts';

it.each([
  ['{"a":1,"a":2}', 7],
  ['{"a":1,"\\u0061":2}', 7],
  ['{"a\\"":1,"a\\"":2}', 9],
  ['{"a\\\\":"\\\\","a\\\\":2}', 12],
  ['[{"a":1},{"b":{"c":1,"c":1}}]', 21],
  ['{"a":[{"x":1}],"b":{"x":1},"a":0}', 27],
  ['{ "__proto__" : 1 , "__proto__" : 2 }', 20],
  ['{"a":{},"a":{}}', 8],
])('finds the second name in %s', (text, at) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(memberMistake(text)).toEqual({ kind: 'duplicate', at });
});

it.each([
  '{"a":"a","b":"a"}',
  '{"a":["a","a","a"]}',
  '[{"a":1},{"a":2}]',
  '{"a":{"a":{"a":"\\"a\\":1,\\"a\\":2"}}}',
  '["a","a"]',
  '"{\\"a\\":1,\\"a\\":1}"',
  '{"A":1,"a":2,"":3}',
])('finds none in %s', (text) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(memberMistake(text)).toBeUndefined();
});

it('finds none in what JSON.stringify prints, and the one that is put there', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(1), (members, space) => {
      const text = JSON.stringify(members, null, space);
      expect(memberMistake(text)).toBeUndefined();
      const name = JSON.stringify(Object.keys(members)[0]);
      const doubled = `${text.trimEnd().slice(0, -1)},${name}:null}`;
      expect(memberMistake(doubled)).toEqual({ kind: 'duplicate', at: doubled.lastIndexOf(`,${name}:null}`) + 1 });
    }),
  );
});

it('counts the members of all objects', () => {
  const one = '{"a":{"b":0}}';
  const objects = (count: number): string => `[${Array.from({ length: count }, () => one).join(',')}]`;
  expect(memberMistake(objects(membersMax / 2))).toBeUndefined();
  const at = objects(membersMax / 2).length + '{"'.length - 1;
  expect(memberMistake(objects(membersMax / 2 + 1))).toEqual({ kind: 'tooMany', at });
});

it.each(['{"a', '{"a\\', '{"\\x":1,"b":2}', '}}]]', '{"a":1,"b\\"', ''])('ends in %s, which is no JSON', (text) => {
  expect(memberMistake(text)).toBeUndefined();
});
