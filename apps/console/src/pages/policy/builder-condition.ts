import { type Expression, printExpression, readCondition } from '@ringfence/policy';

/** A test that the builder can show: a fact or feature, an operator, and a value, all as text. */
export interface BuilderRow {
  readonly fact: string;
  readonly operator: BuilderOperator;
  /** An operand; the name of the list for `in` and `notIn`; not used by `missing` and `present`. */
  readonly value: string;
}

export const comparisons = ['==', '!=', '>', '>=', '<', '<='] as const;
export const builderOperators = [...comparisons, 'in', 'notIn', 'missing', 'present'] as const;
export type BuilderOperator = (typeof builderOperators)[number];

/** `all`: joined by `&&`; `any`: by `||`. */
export type Joined = 'all' | 'any';

/** Rows in parentheses, joined the other way than the condition that contains them. */
export interface BuilderGroup {
  readonly rows: readonly BuilderRow[];
}

export interface BuilderCondition {
  readonly joined: Joined;
  readonly parts: readonly (BuilderRow | BuilderGroup)[];
}

export function isGroup(part: BuilderRow | BuilderGroup): part is BuilderGroup {
  return 'rows' in part;
}

export function otherwise(joined: Joined): Joined {
  return joined === 'all' ? 'any' : 'all';
}

const signs = { all: '&&', any: '||' } as const;

/**
 * A condition as rows and groups of rows; `undefined` if it has any other form. A part that is no test, such as
 * `device.isNew`, becomes a comparison with `true`.
 */
export function readBuilder(text: string): BuilderCondition | undefined {
  const node = readCondition(text);
  if (node === undefined) return undefined;
  const joined = node.kind === 'logic' && node.operator === '||' ? 'any' : 'all';
  const parts = flattened(node, joined).map((part) => readRow(part) ?? readGroup(part, otherwise(joined)));
  return parts.every((part) => part !== undefined) ? { joined, parts } : undefined;
}

/** The operands of nested operators of one kind. */
function flattened(node: Expression, joined: Joined): readonly Expression[] {
  return node.kind === 'logic' && node.operator === signs[joined]
    ? [...flattened(node.left, joined), ...flattened(node.right, joined)]
    : [node];
}

function readGroup(node: Expression, joined: Joined): BuilderGroup | undefined {
  const rows = flattened(node, joined).map(readRow);
  return rows.every((row) => row !== undefined) ? { rows } : undefined;
}

function readRow(node: Expression): BuilderRow | undefined {
  switch (node.kind) {
    case 'compare':
      if (!isSubject(node.left) || !isOperand(node.right)) return undefined;
      return { fact: printExpression(node.left), operator: node.operator, value: printExpression(node.right) };
    case 'in': {
      const list = isSubject(node.left) ? listName(node.right) : undefined;
      return list === undefined ? undefined : { fact: printExpression(node.left), operator: 'in', value: list };
    }
    case 'not': {
      const row = node.of.kind === 'compare' ? undefined : readRow(node.of);
      const operator = row && opposites[row.operator];
      if (operator !== undefined) return { ...row!, operator };
      return node.of.kind === 'path' ? { fact: printExpression(node.of), operator: '==', value: 'false' } : undefined;
    }
    case 'path':
      return { fact: printExpression(node), operator: '==', value: 'true' };
    case 'call': {
      const [of] = node.args;
      if (node.name !== 'has' || node.receiver !== undefined || of === undefined || !isSubject(of)) return undefined;
      return { fact: printExpression(of), operator: 'present', value: '' };
    }
    default:
      return undefined;
  }
}

const opposites: Readonly<Partial<Record<BuilderOperator, BuilderOperator>>> = { in: 'notIn', present: 'missing' };

/** `lists.mules` */
function listName(node: Expression): string | undefined {
  if (node.kind !== 'path') return undefined;
  const [lists, name, ...others] = node.parts;
  return lists?.name === 'lists' && others.length === 0 ? name?.name : undefined;
}

/** What can be compared: a fact, a feature, or something that is computed of them. */
function isSubject({ kind }: Expression): boolean {
  return kind === 'path' || kind === 'index' || kind === 'select' || kind === 'call' || kind === 'arithmetic';
}

function isOperand(node: Expression): boolean {
  const { kind } = node;
  if (kind === 'number' || kind === 'string' || kind === 'bool' || kind === 'duration') return true;
  return kind === 'negate' ? isOperand(node.of) : isSubject(node);
}

/** Whether the text can be in the field of the fact. */
export function isFactText(text: string): boolean {
  const node = readCondition(text);
  return node !== undefined && isSubject(node);
}

/** Whether the text can be in the field of the value, beside a comparison. */
export function isValueText(text: string): boolean {
  const node = readCondition(text);
  return node !== undefined && isOperand(node);
}

/** The field of a row that cannot be written as it is. */
export function faultyField({ fact, operator, value }: BuilderRow): 'fact' | 'value' | undefined {
  if (!isFactText(fact)) return 'fact';
  if (operator === 'missing' || operator === 'present') return undefined;
  if (operator === 'in' || operator === 'notIn') return /^[A-Za-z]\w*$/.test(value) ? undefined : 'value';
  return isValueText(value) ? undefined : 'value';
}

/** The place of a row: its number, after that of its group if it is in one. */
export type RowPlace = `${number}` | `${number}.${number}`;

/** Where a row is in the text of its condition. */
export interface PrintedRow {
  readonly place: RowPlace;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface PrintedCondition {
  readonly text: string;
  readonly rows: readonly PrintedRow[];
}

/** The condition in the policy language, on one line. Groups without rows are left out. */
export function printBuilder({ joined, parts }: BuilderCondition): PrintedCondition {
  let text = '';
  const printed: PrintedRow[] = [];
  const print = (row: BuilderRow, place: RowPlace): void => {
    const start = text.length;
    text += printRow(row);
    printed.push({ place, start, end: text.length });
  };
  parts.forEach((part, at) => {
    if (isGroup(part) && part.rows.length === 0) return;
    if (text !== '') text += ` ${signs[joined]} `;
    if (!isGroup(part)) {
      print(part, `${at}`);
      return;
    }
    const isNested = part.rows.length > 1;
    if (isNested) text += '(';
    part.rows.forEach((row, inside) => {
      if (inside > 0) text += ` ${signs[otherwise(joined)]} `;
      print(row, `${at}.${inside}`);
    });
    if (isNested) text += ')';
  });
  return { text, rows: printed };
}

function printRow({ fact, operator, value }: BuilderRow): string {
  switch (operator) {
    case 'in':
      return `${fact} in lists.${value}`;
    case 'notIn':
      return `!(${fact} in lists.${value})`;
    case 'missing':
      return `!has(${fact})`;
    case 'present':
      return `has(${fact})`;
    default:
      return `${fact} ${operator} ${value}`;
  }
}

/** All rows by their places. */
export function rowsOf({ parts }: BuilderCondition): ReadonlyMap<RowPlace, BuilderRow> {
  const rows = new Map<RowPlace, BuilderRow>();
  parts.forEach((part, at) => {
    if (isGroup(part)) part.rows.forEach((row, inside) => rows.set(`${at}.${inside}`, row));
    else rows.set(`${at}`, part);
  });
  return rows;
}
