import type { EventKind } from '@ringfence/contract';
import { definitions } from './compile/definitions.ts';
import { factDefinitions } from './facts.ts';

/** Something that an editor can offer while a condition is written. Plain data, fit for JSON. */
export interface Completion {
  /** What is written: `order.amount`, `contains`. */
  readonly label: string;
  /** A method stands behind a value and a dot. */
  readonly kind: 'fact' | 'function' | 'method';
  /** The type of a fact, the signature of a function. */
  readonly detail: string;
  readonly doc: string;
  readonly example?: string;
  /** The type of value that a method belongs to; `list`, `map` and `any` fit more than one. */
  readonly receiver?: string;
  /** Events that can have the fact. */
  readonly on?: readonly EventKind[];
}

/** Facts, then functions, from the tables that the checker reads. Features and lists are the policy's own. */
export function completions(): readonly Completion[] {
  const facts = factDefinitions.map(({ path, type, doc, on }): Completion => ({
    label: path,
    kind: 'fact',
    detail: type,
    doc,
    on: [...on],
  }));
  const calls = definitions.map((definition): Completion => {
    const { name, isMethod, signature, doc, example } = definition;
    const receiver = isMethod ? { receiver: signature.slice(0, signature.indexOf('.')) } : {};
    return { label: name, kind: isMethod ? 'method' : 'function', detail: signature, doc, example, ...receiver };
  });
  return [...facts, ...calls];
}
