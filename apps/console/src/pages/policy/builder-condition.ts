/** A comparison that the builder can show: a fact or feature, an operator, and a value as text. */
export interface BuilderRow {
  readonly fact: string;
  readonly operator: BuilderOperator;
  readonly value: string;
}

export const builderOperators = ['==', '!=', '>', '>=', '<', '<='] as const;
export type BuilderOperator = (typeof builderOperators)[number];

const fact = String.raw`[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*`;
/** Numbers with an optional unit of time, strings, booleans, and other facts, optionally multiplied by a number. */
const value = String.raw`(?:-?\d+(?:\.\d+)?(?:d|h|ms|m|s)?|"(?:[^"\\]|\\.)*"|true|false|(?:\d+(?:\.\d+)? \* )?${fact})`;
const comparison = new RegExp(`^(${fact}) (==|!=|>=|<=|>|<) (${value})$`);
const alone = new RegExp(`^(!?)(${fact})$`);

/**
 * A condition as rows joined by `&&`; `undefined` if it has any other form.
 *
 * @param text in canonical form, as the compiler prints it
 */
export function readRows(text: string): readonly BuilderRow[] | undefined {
  const rows = splitAnd(text).map(readRow);
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

/** The condition of the rows. */
export function printRows(rows: readonly BuilderRow[]): string {
  return rows.map(({ fact: name, operator, value: written }) => `${name} ${operator} ${written}`).join(' && ');
}

function readRow(part: string): BuilderRow | undefined {
  const compared = comparison.exec(part);
  if (compared !== null) return { fact: compared[1]!, operator: compared[2] as BuilderOperator, value: compared[3]! };
  const told = alone.exec(part);
  return told === null ? undefined : { fact: told[2]!, operator: '==', value: told[1] === '!' ? 'false' : 'true' };
}

/** Splits at every `&&` outside of strings. Parts with brackets are not supported. */
function splitAnd(text: string): readonly string[] {
  const parts = [''];
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"' && text[at - 1] !== '\\') quoted = !quoted;
    if (!quoted && text.startsWith(' && ', at)) {
      parts.push('');
      at += 3;
    } else parts[parts.length - 1] += sign;
  }
  return parts;
}
