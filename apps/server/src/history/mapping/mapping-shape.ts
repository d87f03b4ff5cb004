import { timeZone } from '@ringfence/contract';
import { isPlaceZone, zoneMeant } from '@ringfence/policy';
import { Type } from 'typebox';
import { exactly, listOf, oneOf, text, yesOrNo } from '../../platform/shapes/shape.ts';
import { timeFormatExpected, timeReader } from './time-format.ts';

const column = text({ maxLength: 256, expected: 'the name of a column' });
const word = text({
  minLength: 0,
  maxLength: 256,
  expected: 'a word as it appears in the column, quoted where it is true or false',
});
const words = Type.Optional(listOf(word, { maxItems: 100, expected: 'a list of words as they appear in the column' }));
const anyText = text({ minLength: 0, maxLength: 4_096, expected: 'a text or a number' });

/** The short form `customer` was expanded to `{ column: customer }` before this check. */
const memberShape = exactly(
  { column: Type.Optional(column), default: Type.Optional(anyText), value: Type.Optional(anyText) },
  {
    expected: 'the name of a column, { column: NAME, default: TEXT } or { value: TEXT }',
    refine: ({ column: named, default: otherwise, value }) => {
      if ((named === undefined) === (value === undefined)) return 'either column or value';
      return value !== undefined && otherwise !== undefined ? 'no default beside value' : undefined;
    },
  },
);

type WrittenMember = Type.Static<typeof memberShape>;

function membersShape(kind: string): Type.TOptional<Type.TUnsafe<Readonly<Record<string, WrittenMember>>>> {
  return Type.Optional(
    Type.Unsafe<Readonly<Record<string, WrittenMember>>>({
      type: 'object',
      patternProperties: { '^.+$': memberShape },
      additionalProperties: false,
      expected: `a mapping from members of ${kind} to columns`,
    }),
  );
}

const delimiterExpected = 'one character, or tab';

/** The mapping file of `ringfence import`. */
export const mappingShape = exactly({
  format: Type.Optional(oneOf(['csv', 'ndjson'])),
  delimiter: text({
    maxLength: 3,
    default: ',',
    expected: delimiterExpected,
    refine: (given) => (given === 'tab' || /^[^\s"\w]$|^\t$/.test(given) ? undefined : delimiterExpected),
  }),
  quotes: yesOrNo({ default: true }),
  columns: Type.Optional(listOf(column, { minItems: 1, maxItems: 1_000, expected: 'the names of all columns' })),
  encoding: oneOf(['utf-8', 'windows-1252'], { default: 'utf-8' }),
  decimal: oneOf(['.', ','], { default: '.' }),
  trim: yesOrNo({ default: false }),
  nulls: words,
  time: exactly({
    column,
    format: text({
      maxLength: 64,
      default: 'iso',
      expected: timeFormatExpected,
      refine: (format) => (timeReader(format) === undefined ? timeFormatExpected : undefined),
    }),
    zone: Type.Optional(
      text({
        maxLength: 64,
        expected: 'an IANA time zone, like America/Mexico_City',
        refine: (zone) =>
          isPlaceZone(zone) && timeZone(zone) !== undefined
            ? undefined
            : `an IANA time zone, not an abbreviation: ${zoneMeant(zone)}`,
      }),
    ),
  }),
  kind: exactly(
    {
      value: Type.Optional(oneOf(['login', 'logout', 'operation'])),
      column: Type.Optional(column),
      login: words,
      logout: words,
      operation: words,
    },
    {
      expected: 'login, logout, operation, or { column: NAME, operation: [WORD, …], … }',
      refine: ({ value, column: named, login, logout, operation }) => {
        const lists = [login, logout, operation].filter((list) => list !== undefined).length;
        if (value !== undefined) {
          return named === undefined && lists === 0 ? undefined : 'one kind, or a column with its words';
        }
        return named !== undefined && lists > 0
          ? undefined
          : 'login, logout, operation, or { column: NAME, operation: [WORD, …], … }';
      },
    },
  ),
  label: Type.Optional(exactly({ column, fraud: words, legitimate: words })),
  login: membersShape('login'),
  logout: membersShape('logout'),
  operation: membersShape('operation'),
});

export type WrittenMapping = Type.Static<typeof mappingShape>;
