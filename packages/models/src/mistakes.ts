import { mistakesMax } from './limits.ts';

/** What is wrong with a file, and where: `trees[3].left[7]: is 9; expected a node after 7 and before 9`. */
export interface ModelMistake {
  /** The member or the line; "" for the whole file. */
  readonly place: string;
  readonly detail: string;
}

export type ModelResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly mistakes: readonly ModelMistake[] };

/** As people read it: `trees[3].left[7]: ...`. */
export function mistakeText({ place, detail }: ModelMistake): string {
  return place === '' ? detail : `${place}: ${detail}`;
}

/** Collects the first mistakes of a file. Ends the reading where it cannot go on. */
export class Mistakes {
  private readonly found: ModelMistake[] = [];

  add(place: string, detail: string): void {
    if (this.found.length < mistakesMax) this.found.push({ place, detail });
  }

  /** Adds a mistake after which the rest of the file has no meaning. */
  stop(place: string, detail: string): never {
    this.add(place, detail);
    throw new Unreadable();
  }

  get isEmpty(): boolean {
    return this.found.length === 0;
  }

  /** Runs a reader; its result counts only if there was no mistake. */
  static collect<T>(read: (mistakes: Mistakes) => T): ModelResult<T> {
    const mistakes = new Mistakes();
    try {
      const value = read(mistakes);
      if (mistakes.isEmpty) return { ok: true, value };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
    return { ok: false, mistakes: mistakes.found };
  }
}

class Unreadable extends Error {}

/** Characters of a wrong value in a message, and entries of a wrong list: enough to find it in the file. */
const shownMax = 60;

/** A wrong value in a message, cut to a readable length. What is nested in it is left out. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = Array.isArray(value)
    ? `[${value.slice(0, shownMax).map(shownInside).join(',')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.keys(value).slice(0, shownMax).map(shownInside).join(',')}}`
      : shownInside(value);
  return text.length > shownMax ? `${text.slice(0, shownMax - 3)}...` : text;
}

function shownInside(value: unknown): string {
  if (typeof value === 'object' && value !== null) return '...';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
