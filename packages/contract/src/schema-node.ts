import type { TSchema } from 'typebox';
import { amountBounds } from './decimal.ts';
import { isoDateExpected } from './iso-date.ts';

/** The part of a JSON Schema made with `field-schema.ts` that validation and reading use. */
export interface SchemaNode {
  readonly type: string | readonly string[];
  /** Of a text; null is among them if the member is optional. */
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode;
  readonly 'x-reads-as'?: 'iso-date' | 'decimal' | 'currency' | 'address';
  readonly 'x-card-numbers'?: boolean | 'mask';
  readonly 'x-empty-is-absent'?: boolean;
}

/** TypeBox's types describe the valid values of a schema, not its keywords. */
export function nodeOf(schema: TSchema): SchemaNode {
  return schema as TSchema & SchemaNode;
}

/** The type of a member, ignoring null. */
export function typeOf(node: SchemaNode): string {
  return typeof node.type === 'string' ? node.type : (node.type.find((type) => type !== 'null') ?? 'null');
}

/** Describes what a member accepts, for error messages. */
export function expectedOf(node: SchemaNode): string {
  switch (typeOf(node)) {
    case 'string':
      if (node.enum !== undefined) return `one of ${node.enum.filter((choice) => choice !== null).join(', ')}`;
      return node['x-reads-as'] === 'iso-date' ? isoDateExpected : expectedText(node);
    case 'integer':
      return `a whole number from ${node.minimum} to ${node.maximum}`;
    case 'number':
      return `a number${node.minimum === undefined ? '' : ` of ${node.minimum} or more`} with at most ${amountBounds.integerDigits} digits before the point`;
    default:
      return node.properties === undefined ? 'an object of strings' : 'an object';
  }
}

function expectedText(node: SchemaNode): string {
  return node.minLength === undefined
    ? `a string of at most ${node.maxLength} characters`
    : `a string of ${node.minLength} to ${node.maxLength} characters`;
}
