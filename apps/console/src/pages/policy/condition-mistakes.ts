import { type PolicyError, type PolicyFile, searchPolicy } from '@ringfence/policy';
import { type BuilderCondition, faultyField, printBuilder, type RowPlace, rowsOf } from './builder-condition.ts';
import type { BuilderWords } from './builder-words.ts';

export interface RowMistake {
  readonly field: 'fact' | 'value';
  /** Absent: the field is empty or not readable. */
  readonly text?: string;
}

export interface ConditionMistakes {
  readonly rows: ReadonlyMap<RowPlace, RowMistake>;
  /** Errors that belong to no row, also those of the policy's files. */
  readonly others: readonly string[];
}

export const noMistakes: ConditionMistakes = { rows: new Map(), others: [] };

/** Rows that cannot be written as they are; the compiler does not see them. */
export function unreadableRows(condition: BuilderCondition): ConditionMistakes {
  const faulty = [...rowsOf(condition)].flatMap(([place, row]) => {
    const field = faultyField(row);
    return field === undefined ? [] : [[place, { field }] as const];
  });
  return { rows: new Map(faulty), others: [] };
}

/** Errors of a condition, each at the field that it concerns. */
export function mistakesOfRows(
  files: readonly PolicyFile[],
  condition: BuilderCondition,
  words: BuilderWords,
): ConditionMistakes {
  const unreadable = unreadableRows(condition);
  const printed = printBuilder(condition);
  if (unreadable.rows.size > 0 || printed.text === '') return unreadable;
  const result = searchPolicy(files, printed.text);
  if (result.ok) return noMistakes;
  const rows = new Map<RowPlace, RowMistake>();
  const others: string[] = [];
  const facts = rowsOf(condition);
  for (const error of result.errors) {
    const at = result.wrong === 'condition' ? error.column - 1 : -1;
    const row = printed.rows.find(({ start, end }) => at >= start && at < end);
    if (row === undefined) others.push(mistakeText(error));
    else if (!rows.has(row.place)) {
      const { fact } = facts.get(row.place)!;
      const isFact = at < row.start + fact.length && words.typeOf(fact) === undefined;
      rows.set(row.place, { field: isFact ? 'fact' : 'value', text: mistakeText(error) });
    }
  }
  return { rows, others };
}

/** Errors of a condition that was typed as text. */
export function mistakesOfText(files: readonly PolicyFile[], text: string): readonly string[] {
  const result = searchPolicy(files, text);
  return result.ok ? [] : result.errors.map(mistakeText);
}

export function mistakeText({ message, suggestion }: PolicyError): string {
  return [message, suggestion].filter(Boolean).join(': ');
}
