import { errorsMax } from '@ringfence/contract';
import type { PolicyError } from '../policy.ts';

/** Warnings of one policy: they refuse nothing, so that a large policy shows more of them than of errors. */
export const warningsMax = 100;

/** Ends a check at its last allowed error: a hostile folder could contain millions. `loadPolicy` catches it. */
export class TooManyErrors extends Error {}

/** The place of a mistake: a file of the folder and a position in it. */
export interface Place {
  readonly file: SourceFile;
  readonly offset: number;
}

/** A file of the policy, with its line starts computed once. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  readonly #lineStarts: readonly number[];

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#lineStarts = starts;
  }

  /** Line and column of an offset, both from 1. */
  position(offset: number): { readonly line: number; readonly column: number } {
    let [low, high] = [0, this.#lineStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#lineStarts[low] ?? 0) + 1 };
  }
}

/** Collects mistakes, so that one check reports several of them. */
export class Mistakes {
  readonly #errors: PolicyError[] = [];
  readonly #warnings: PolicyError[] = [];
  /** A part may be checked twice, alone and as a part of something larger, so duplicates are dropped. */
  readonly #told = new Set<string>();

  /** @throws TooManyErrors at the last allowed error */
  add(
    place: Place,
    what: {
      readonly message: string;
      readonly suggestion?: string | undefined;
      readonly severity?: 'error' | 'warning';
    },
  ): void {
    const { message, suggestion, severity = 'error' } = what;
    if (severity === 'warning' && this.#warnings.length >= warningsMax) return;
    const { line, column } = place.file.position(place.offset);
    const key = `${place.file.path}:${line}:${column} ${message}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const found = { file: place.file.path, line, column, message, suggestion, severity };
    if (severity === 'warning') this.#warnings.push(found);
    else if (this.#errors.push(found) >= errorsMax) throw new TooManyErrors();
  }

  /** Warnings do not refuse a policy. */
  get refuse(): boolean {
    return this.#errors.length > 0;
  }

  /** By file, line and column. */
  all(): readonly PolicyError[] {
    return [...this.#errors, ...this.#warnings].toSorted(
      (a, b) =>
        compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.message, b.message),
    );
  }
}

/** By UTF-16 units: the same on every machine, regardless of its locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
