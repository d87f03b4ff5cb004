import { hashCost } from './bounds.ts';
import { combine, type Compiled, constant } from './compiled.ts';
import { isOpen, type Type } from './type.ts';
import { boxed, Dynamic, type Value } from './value.ts';

/** Compiles an operation for parts whose types are known. `undefined` if they don't fit. */
export type Operate = (parts: readonly Compiled[]) => Compiled | undefined;

/** The most that an operation costs in addition to its parts, if no better bound is known. */
const operationCost = 50;

export function isDynamic(parts: readonly Compiled[]): boolean {
  return parts.some((part) => isOpen(part.type));
}

/**
 * An operation on values whose types are known only at run time. It is compiled once per combination of types that
 * occurs. The types come from the text of the condition, never from an event, so there are few. If the types don't fit,
 * the result is missing.
 *
 * @param result `dyn`, or the one type that the operation always returns
 * @param name the name of the function
 */
export function dispatch(
  parts: readonly Compiled[],
  { result, cost = operationCost, name }: { readonly result: Type; readonly cost?: number; readonly name?: string },
  operate: Operate,
): Compiled {
  const cells = parts.map(() => new Cell());
  const known = new Map<string, Compiled | undefined>();
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return combine(result, parts, {
    run: (facts) => {
      let types = '';
      for (const [at, part] of parts.entries()) {
        const value = part.run(facts);
        if (value === undefined) return undefined;
        types += `${cells[at]!.put(part.type, value)};`;
      }
      if (!known.has(types)) known.set(types, operate(parts.map((part, at) => cells[at]!.typed(part))));
      const operation = known.get(types);
      if (operation === undefined) return undefined;
      const value = operation.run(facts);
      if (result === 'dyn') return boxed(operation.type, value);
      return operation.type === result ? value : undefined;
    },
    ...(name === undefined ? {} : { name }),
    isBuilt: true,
    cost: cost + size + hashCost(length),
    size,
    length,
  });
}

/** Contains a part's value, so that an operation compiled for its type can read it. */
class Cell {
  #type: Type = 'none';
  #value: Value;

  put(type: Type, value: Value): Type {
    [this.#type, this.#value] = value instanceof Dynamic ? [value.type, value.value] : [type, value];
    return this.#type;
  }

  /** The part with its current type. */
  typed(part: Compiled): Compiled {
    if (part.constant) return constant(this.#type, this.#value, { size: part.size });
    return {
      type: this.#type,
      run: () => this.#value,
      constant: false,
      size: part.size,
      length: part.length,
      reads: [],
      needs: [],
      cost: 1,
    };
  }
}
