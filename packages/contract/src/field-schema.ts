import Type from 'typebox';
import { isoDatePattern } from './iso-date.ts';

/**
 * The members of wire objects as JSON Schema, with two keywords of our own that validation uses and that stay in the
 * published document: `x-reads-as` (text with a format) and `x-card-numbers` (free text, in which card numbers are
 * masked or refused; with `mask`, masked but never refused). `format` and `pattern` are for readers of the document and for generators of
 * clients; validation has its own code for what they describe.
 *
 * An optional member may be omitted, null or "": all three mean absent. The schema allows null; that "" is accepted too
 * is stated once, in the description of the whole document.
 */
export interface FieldOptions {
  readonly description: string;
  readonly example: string | number;
}

/** Text without the character NUL. Written so that every engine of regular expressions reads it: RE2 knows no `\\u0000`. */
export const nulFreePattern = '^[^\\x00]*$';

const int32Max = 2_147_483_647;

/** The OpenAPI format of whole numbers within the bounds. Without one, generators choose 32 bits. */
export function integerFormat(minimum: number | undefined, maximum: number | undefined): 'int32' | 'int64' {
  const fits = minimum !== undefined && minimum >= -int32Max - 1 && maximum !== undefined && maximum <= int32Max;
  return fits ? 'int32' : 'int64';
}

/** The longest name or identifier, in characters. */
export const nameLengthMax = 256;
/** The longest session identifier, in characters: some banks send a signed token (JWT) as one. */
export const sessionLengthMax = 1_024;
/** The longest text written by a person, in characters. */
const proseLengthMax = 4_096;

interface TextOptions extends FieldOptions {
  readonly lengthMax?: number;
  readonly lengthMin?: number;
  /** Free text: must not contain card numbers. `mask`: what looks like one may be something else, and is not refused. */
  readonly free?: boolean | 'mask';
}

/** A required string. */
export function requiredText(options: TextOptions): Type.TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', ...textKeywords(options) });
}

export function optionalText(options: TextOptions): Type.TOptional<Type.TUnsafe<string | null>> {
  return Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...textKeywords(options) }));
}

export function optionalProse(options: TextOptions): Type.TOptional<Type.TUnsafe<string | null>> {
  return optionalText({ lengthMax: proseLengthMax, free: true, ...options });
}

export function optionalDate(options: FieldOptions): Type.TOptional<Type.TUnsafe<string | null>> {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: isoDatePattern,
      'x-reads-as': 'iso-date',
      ...said(options),
    }),
  );
}

/** What makes a text an IP address, which is kept in its canonical form. */
export const readsAsAddress = { 'x-reads-as': 'address' } as const;

/** A currency code. */
export function optionalCurrency(options: FieldOptions): Type.TOptional<Type.TUnsafe<string | null>> {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      'x-reads-as': 'currency',
      ...textKeywords({ ...options, free: true }),
    }),
  );
}

export function optionalDecimal(
  options: FieldOptions & { readonly minimum?: number },
): Type.TOptional<Type.TUnsafe<number | null>> {
  return Type.Optional(
    // Every digit counts: "double" would make generators choose a type that loses some.
    Type.Unsafe<number | null>({
      type: ['number', 'null'],
      format: 'decimal',
      ...(options.minimum === undefined ? {} : { minimum: options.minimum }),
      'x-reads-as': 'decimal',
      ...said(options),
    }),
  );
}

/** One of some words, spelt exactly like this. */
export function requiredChoice<const Choice extends string>(
  choices: readonly Choice[],
  options: FieldOptions,
): Type.TUnsafe<Choice> {
  return Type.Unsafe<Choice>({ type: 'string', enum: choices, ...said(options) });
}

export function optionalChoice<const Choice extends string>(
  choices: readonly Choice[],
  options: FieldOptions,
): Type.TOptional<Type.TUnsafe<Choice | null>> {
  return Type.Optional(
    Type.Unsafe<Choice | null>({ type: ['string', 'null'], enum: [...choices, null], ...said(options) }),
  );
}

export function optionalInteger(
  options: FieldOptions & { readonly minimum: number; readonly maximum: number },
): Type.TOptional<Type.TUnsafe<number | null>> {
  const { minimum, maximum } = options;
  const format = integerFormat(minimum, maximum);
  return Type.Optional(
    Type.Unsafe<number | null>({ type: ['integer', 'null'], format, minimum, maximum, ...said(options) }),
  );
}

export function requiredInteger(
  options: FieldOptions & { readonly minimum: number; readonly maximum: number },
): Type.TUnsafe<number> {
  const { minimum, maximum } = options;
  const format = integerFormat(minimum, maximum);
  return Type.Unsafe<number>({ type: 'integer', format, minimum, maximum, ...said(options) });
}

/** An object of string keys to string values. */
export function optionalTexts(options: {
  readonly description: string;
  readonly example: Readonly<Record<string, string>>;
}): Type.TOptional<Type.TUnsafe<Record<string, string | null> | null>> {
  return Type.Optional(
    Type.Unsafe<Record<string, string | null> | null>({
      type: ['object', 'null'],
      additionalProperties: {
        type: ['string', 'null'],
        maxLength: proseLengthMax,
        pattern: nulFreePattern,
        'x-card-numbers': true,
      },
      description: options.description,
      examples: [options.example],
    }),
  );
}

/** An object that may be omitted, with the given members. */
export function optionalObject<Members extends Type.TProperties>(
  description: string,
  members: Members,
): Type.TOptional<Type.TUnsafe<Type.Static<Type.TObject<Members>> | null>> {
  const object = Type.Object(members);
  return Type.Optional(
    Type.Unsafe<Type.Static<typeof object> | null>({
      type: ['object', 'null'],
      description,
      properties: object.properties,
      ...(object.required === undefined ? {} : { required: object.required }),
    }),
  );
}

function textKeywords(options: TextOptions): object {
  return {
    ...(options.lengthMin === undefined ? {} : { minLength: options.lengthMin }),
    maxLength: options.lengthMax ?? nameLengthMax,
    pattern: nulFreePattern,
    ...said(options),
    ...(options.free === undefined || options.free === false ? {} : { 'x-card-numbers': options.free }),
  };
}

function said(options: FieldOptions): object {
  return { description: options.description, examples: [options.example] };
}
