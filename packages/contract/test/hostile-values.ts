/** What a member of the wire accepts. */
export type MemberKind =
  | 'text'
  | 'short'
  | 'user'
  | 'session'
  | 'ip'
  | 'integer'
  | 'channel'
  | 'date'
  | 'decimal'
  | 'texts'
  | 'object';

/** A value as JSON text, and the kinds of members that accept it. */
export interface HostileValue {
  readonly json: string;
  readonly takenBy: readonly MemberKind[];
}

const absent: readonly MemberKind[] = ['text', 'session', 'short', 'integer', 'date', 'decimal', 'texts', 'object'];
const texts: readonly MemberKind[] = ['text', 'session', 'short', 'user', 'ip'];
const long: readonly MemberKind[] = ['text', 'session', 'user', 'ip'];
const numbers: readonly MemberKind[] = ['integer', 'channel', 'decimal'];
const nowhere: readonly MemberKind[] = [];

const table: readonly (readonly [readonly MemberKind[], ...string[]])[] = [
  [absent, 'null'],
  [[...absent, 'ip'], '""'],
  [[], 'true', 'false', '[]', '[null]', '[1]', '[""]', '[{}]', '[[]]'],
  [['texts', 'object'], '{}'],
  [['texts', 'object'], '{"k":"v"}', '{"k":null}', '{"k":""}'],
  [['object'], '{"k":1}', '{"k":{"k":{}}}', '{"k":[1,2]}', '{"k":true}'],
  [
    texts,
    '" "',
    '"x"',
    '"null"',
    '"0"',
    '"\\t"',
    '"\\n\\r"',
    '"\\u0001"',
    '"\\u007f"',
    '"\\u200b"',
    '"\\u202e"',
    '"\\ufeff"',
  ],
  [
    texts,
    '"é"',
    '"e\\u0301"',
    '"ß"',
    '"İ"',
    '"😀"',
    '"\\ud83d\\ude00"',
    '"\\uffff"',
    '"\\ufffd"',
    '"\\\\u0000"',
    '"NaN"',
  ],
  [texts, '"\\"},{\\""', '"a/b~c"', '"%00"', '"../x"', '"{{x}}"', '"${x}"'],
  [long, `"${'😀'.repeat(256)}"`, `"${'x'.repeat(256)}"`, '"toString hasOwnProperty"', '"<script>alert(1)</script>"'],
  [long, '"\'; drop table event; --"'],
  [['ip', 'session'], `"${'x'.repeat(512)}"`],
  [['session'], `"${'😀'.repeat(1_024)}"`, `"${'x'.repeat(513)}"`],
  [nowhere, `"${'x'.repeat(50_000)}"`, `"${'😀'.repeat(1_025)}"`],
  [numbers, '0', '1', '-0', '1.0', '1e0', '1E2', '10e-1', '2147483647'],
  [['integer', 'decimal'], '-1', '2147483648', '4294967296', '9007199254740991', '-9007199254740991'],
  [
    ['decimal'],
    '0.1',
    '10.10',
    '1.5e-3',
    '9007199254740992',
    '9007199254740993',
    '999999999999999999.999999',
    '-0.000001',
    '1e-7',
    '0.0000001',
    '1e-400',
    '12345678901234567.8901234',
  ],
  [
    nowhere,
    '9223372036854775807',
    '9223372036854775808000',
    '1e18',
    '1e400',
    '-1e400',
    '1e99999',
    '1e-99999',
    '999999999999999999.9999995',
  ],
  [
    ['text', 'session', 'user', 'ip', 'date'],
    '"2026-11-21T10:15:30Z"',
    '"2026-11-21T10:15:30.250-06:00"',
    '"2026-11-21 10:15:30"',
    '"2000-01-01T00:00:00"',
  ],
  [['text', 'session', 'short', 'user', 'ip', 'date'], '"2026-11-21"', '"20261121"'],
  [
    long,
    '"2026-02-30T00:00:00Z"',
    '"1999-12-31T23:59:59Z"',
    '"2100-01-01T00:00:00Z"',
    '"+275760-09-13T00:00:00Z"',
    '"-000001-01-01T00:00Z"',
  ],
  [texts, '"2026-W47-6"', '"2026-325"'],
];

/** At least 60 values that some part of some system could not store. */
export const hostileValues: readonly HostileValue[] = table.flatMap(([takenBy, ...values]) =>
  values.map((json) => ({ json, takenBy })),
);

/** Values that no member accepts and that our parser refuses. */
export const refusedJson: readonly string[] = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff"',
  '"\\ude00\\ud83d"',
  '"\\x00"',
  '"\\u12"',
  '"x',
  "'x'",
  '"\t"',
  'undefined',
  'NaN',
  '-Infinity',
  'nul',
  '01',
  '+1',
  '.5',
  '1.',
  '0x1',
  '1 2',
  '',
  '{"__proto__":{}}',
  '{"a":1,"a":2}',
  '[[[[[[[[[1]]]]]]]]]',
  '{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}}',
];
