import type { PolicyError } from '../policy.ts';

/** More than a person fixes before checking again; a hostile folder could contain millions. */
export const mistakesMax = 500;

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
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
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

/** Collects mistakes, so that one check reports all of them. */
export class Mistakes {
  readonly #found: PolicyError[] = [];
  /** A part may be checked twice, alone and as a part of something larger, so duplicates are dropped. */
  readonly #told = new Set<string>();

  add(
    place: Place,
    what: {
      readonly message: string;
      readonly suggestion?: string | undefined;
      readonly severity?: 'error' | 'warning';
    },
  ): void {
    if (this.#found.length >= mistakesMax) return;
    const { line, column } = place.file.position(place.offset);
    const { message, suggestion, severity = 'error' } = what;
    const key = `${place.file.path}:${line}:${column} ${message}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#found.push({ file: place.file.path, line, column, message, suggestion, severity });
  }

  /** Warnings do not refuse a policy. */
  get refuse(): boolean {
    return this.#found.some((mistake) => mistake.severity === 'error');
  }

  /** By file, line and column. */
  all(): readonly PolicyError[] {
    return this.#found.toSorted(
      (a, b) =>
        compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.message, b.message),
    );
  }
}

/** By UTF-16 units: the same on every machine, regardless of its locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
