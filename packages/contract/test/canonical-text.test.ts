import { expect, it } from 'vitest';
import { parseJson } from '../src/json.ts';
import { canonicalText } from '../src/json-value.ts';

function canonical(text: string): string {
  const json = parseJson(text);
  if (!json.ok) throw new Error(json.error.detail);
  return canonicalText(json.value);
}

it.each([
  ['{"b":1,"a":{"d":[1,2],"c":null}}', '{ "a" : {"c":null, "d":[1 ,2]},\n"b":1}'],
  ['["a/b","é"]', String.raw`["\u0061\/b","\u00e9"]`],
  ['[10.10,1000,-0,0.1]', '[10.1,1E3,0,1e-1]'],
  ['{"2":1,"10":2}', '{"10":2,"2":1}'],
])('prints the spellings %s and %s equally', (one, other) => {
  expect(canonical(other)).toBe(canonical(one));
});

it.each([
  ['[1,2]', '[2,1]'],
  ['{"a":null}', '{}'],
  ['{"a":"1"}', '{"a":1}'],
  ['{"a":""}', '{"a":" "}'],
  ['["a","b"]', '["a\\"1:b"]'],
  ['{"a":"1","b":1}', '{"a":"11:b1;"}'],
  ['[12345678901234567.89]', '[12345678901234567.88]'],
])('prints %s and %s differently', (one, other) => {
  expect(canonical(other)).not.toBe(canonical(one));
});
