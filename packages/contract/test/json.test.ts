import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonArray, type JsonValue, NumberText, printJson } from '../src/json-value.ts';
import { jsonDepthMax, jsonKeysMax } from '../src/json-reader.ts';
import { type JsonResult, parseJson } from '../src/json.ts';
import type { FieldError } from '../src/problem.ts';

const lone = String.fromCharCode(0xd800);
const nul = String.fromCharCode(0);

function valueOf(result: JsonResult): JsonValue {
  if (!result.ok) throw new Error(`refused: ${result.error.pointer} ${result.error.detail}`);
  return result.value;
}

function errorOf(result: JsonResult): FieldError {
  if (result.ok) throw new Error(`accepted: ${result.text}`);
  return result.error;
}

/** The result of `JSON.parse`. */
function plain(value: JsonValue): unknown {
  if (value instanceof NumberText) return Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

function nested(depth: number, open: string, close: string): string {
  return open.repeat(depth) + '1' + close.repeat(depth);
}

describe('parseJson', () => {
  it.each([
    ['"a\\"\\\\\\/\\b\\f\\n\\r\\tz"', 'a"\\/\b\f\n\r\tz'],
    ['"\\u00e9\\uD83D\\ude00"', 'é😀'],
    ['"é😀"', 'é😀'],
    ['"\\u0001"', '\u0001'],
    [' \t\r\n[ 1 , "x" , null , true , false ] ', [1, 'x', null, true, false]],
    ['{}', {}],
    ['[]', []],
    ['{"toString":1,"hasOwnProperty":2,"valueOf":{}}', { toString: 1, hasOwnProperty: 2, valueOf: {} }],
    ['{"":{"":1}}', { '': { '': 1 } }],
    ['0', 0],
    ['-12', -12],
    ['999999999999999', 999999999999999],
    ['-1.5', -1.5],
    ['\uFEFF{"a":1}', { a: 1 }],
  ])('reads %s', (text, value) => {
    expect(valueOf(parseJson(new TextEncoder().encode(text)))).toStrictEqual(value);
  });

  it.each(['10.10', '1E3', '1e+2', '-0', '-0.0', '1.0', '1e400', '12345678901234567.89', '9007199254740993', '0.10'])(
    'keeps the digits of %s',
    (text) => {
      expect(valueOf(parseJson(text))).toStrictEqual(new NumberText(text));
      expect(printJson(valueOf(parseJson(`{"a":[${text}]}`)))).toBe(`{"a":[${text}]}`);
    },
  );

  it.each(['0.1', '1234567890123456', '1e+21', '5e-324', '1.5', '9007199254740991'])(
    'parses %s as a number',
    (text) => {
      expect(valueOf(parseJson(text))).toBe(Number(text));
    },
  );

  it.each([
    ['', ''],
    ['   ', ''],
    ['{', ''],
    ['[1,', '/1'],
    ['{"a"', '/a'],
    ['{"a":', '/a'],
    ['{"a":}', '/a'],
    ['{"a":1,}', ''],
    ['{"a":1,5:2}', ''],
    ['{"a":{"b":1,},"c":2}', '/a'],
    ['[1,]', ''],
    ['[1 2]', '/0'],
    ['{"a":1 "b":2}', '/a'],
    ['{a:1}', ''],
    ["{'a':1}", ''],
    ['{"a":{"x":1},"b":{5}}', '/b'],
    ['{"a":[1,2,{"b/c~d":tru}]}', '/a/2/b~1c~0d'],
    ['{"a":01}', '/a'],
    ['{"a":1.}', '/a'],
    ['{"a":.5}', '/a'],
    ['{"a":+1}', '/a'],
    ['{"a":1e}', '/a'],
    ['{"a":1e+}', '/a'],
    ['{"a":-}', '/a'],
    ['{"a":--1}', '/a'],
    ['{"a":0x10}', '/a'],
    ['{"a":NaN}', '/a'],
    ['{"a":Infinity}', '/a'],
    ['{"a":undefined}', '/a'],
    ['{"a":nul}', '/a'],
    ['{"a":TRUE}', '/a'],
    ['{"a":"x}', '/a'],
    ['{"a":"\\x41"}', '/a'],
    ['{"a":"\\u00e"}', '/a'],
    ['{"a":"\\u00eg"}', '/a'],
    ['{"a":"line\nbreak"}', '/a'],
    ['{"a":"tab\there"}', '/a'],
    ['{"a":1}{"b":2}', ''],
    ['{"a":1} x', ''],
    ['{"a":1}]', ''],
    ['// comment\n{}', ''],
    ['{"a":/* */1}', '/a'],
    [`{"a":"${nul}"}`, '/a'],
    ['{"a":"\\u0000"}', '/a'],
    ['{"a\\u0000":1}', ''],
    ['{"a":1,"b\\u0000":1}', ''],
    ['{"a":{"b":1,"c\\ud800":1}}', '/a'],
    ['{"a":1,"b\n":1}', ''],
    ['{"a":1,"b', ''],
    ['{"a":"\\ud800"}', '/a'],
    ['{"a":"\\udc00\\ud800"}', '/a'],
    ['{"a":"\\ud800x"}', '/a'],
    ['{"a\\udfff":1}', ''],
    [`{"a":"${lone}"}`, ''],
    ['{"__proto__":{"x":1}}', '/__proto__'],
    ['{"a":{"\\u005f_proto__":1}}', '/a/__proto__'],
    ['{"constructor":1,"constructor":1}', '/constructor'],
    ['{"a":1,"a":1}', '/a'],
    ['{"a":1,"b":2,"\\u0061":3}', '/a'],
    ['{"a":null,"a":null}', '/a'],
    ['{"toString":1,"toString":2}', '/toString'],
    [nested(jsonDepthMax + 1, '[', ']'), '/0'.repeat(jsonDepthMax)],
    [nested(jsonDepthMax + 1, '{"a":', '}'), '/a'.repeat(jsonDepthMax)],
  ])('refuses %j at %j', (text, pointer) => {
    const error = errorOf(parseJson(text));
    expect(error.pointer).toBe(pointer);
    expect(error.detail).not.toBe('');
    expect(error.expected).not.toBe('');
  });

  it.each([
    [[0x22, 0xff, 0x22]],
    [[0x22, 0xc0, 0x80, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xe2, 0x82, 0x22]],
    [[0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    [[0xff, 0xfe, 0x31, 0x00]],
  ])('refuses bytes that are not UTF-8: %j', (bytes) => {
    expect(errorOf(parseJson(Uint8Array.from(bytes)))).toMatchObject({ pointer: '', expected: 'UTF-8' });
  });

  it('counts levels and keys, up to their bounds', () => {
    expect(parseJson(nested(jsonDepthMax, '[', ']')).ok).toBe(true);
    expect(errorOf(parseJson(nested(60_000, '[', ''))).pointer).toBe('/0'.repeat(jsonDepthMax));
    const members = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
    expect(parseJson(members(jsonKeysMax)).ok).toBe(true);
    expect(errorOf(parseJson(members(jsonKeysMax + 1))).pointer).toBe(`/k${jsonKeysMax}`);
    const halves = `[${members(jsonKeysMax / 2)},${members(jsonKeysMax / 2)}`;
    expect(parseJson(`${halves}]`).ok).toBe(true);
    expect(parseJson(`${halves},{"one":1}]`).ok).toBe(false);
  });

  it('parses what JSON.parse parses, and prints it back', () => {
    const json = fc.jsonValue({ maxDepth: jsonDepthMax - 1, stringUnit: 'binary', noUnicodeString: false });
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const result = parseJson(text);
        fc.pre(result.ok || !/NUL|name is not allowed|too many|surrogate/.test(result.error.detail));
        expect(plain(valueOf(result))).toStrictEqual(JSON.parse(text));
        expect(printJson(valueOf(result))).toBe(text);
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });

  it('accepts nothing that JSON.parse rejects, whatever is changed in a text', () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\0123456789eE+-.truefalsn u'.split(''),
      '"a":',
      '\\u0041',
      '1e5',
      nul,
      '\uD834',
    );
    const edits = fc.array(fc.tuple(fc.nat(80), fc.nat(3), piece), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), edits, (json, changes) => {
        let text = json;
        for (const [at, removed, added] of changes) text = text.slice(0, at) + added + text.slice(at + removed);
        const result = parseJson(text);
        const expected: unknown = result.ok ? JSON.parse(text) : 'refused';
        expect(result.ok ? plain(result.value) : 'refused').toStrictEqual(expected);
      }),
      { seed: 4, numRuns: 20_000 },
    );
  });

  it('accepts names of inherited members', () => {
    const result = parseJson('{"constructor":{"prototype":1},"toString":null}');
    expect(Object.entries(valueOf(result) as object)).toEqual([
      ['constructor', { prototype: 1 }],
      ['toString', null],
    ]);
  });

  it('does not change the prototype of all objects', () => {
    const before = Reflect.ownKeys(Object.prototype);
    for (const key of ['__proto__', 'constructor', '\\u005f\\u005fproto__']) {
      parseJson(`{"${key}":{"polluted":1}}`);
      parseJson(`{"a":{"${key}":{"${key}":{"polluted":1}}}}`);
    }
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('never puts the text itself into an error', () => {
    const result = errorOf(parseJson('{"user":"maria" "secret-value"}'));
    expect(JSON.stringify(result)).not.toMatch(/maria|secret/);
  });
});
