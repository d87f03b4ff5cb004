import { forms } from './intrinsics.ts';
import { addresses } from './functions/addresses.ts';
import { collections } from './functions/collections.ts';
import { conversions } from './functions/conversions.ts';
import type { Definition, FormDefinition, FunctionDefinition } from './functions/definition.ts';
import { masks } from './functions/masks.ts';
import { names } from './functions/names.ts';
import { numbers } from './functions/numbers.ts';
import { places } from './functions/places.ts';
import { text } from './functions/text.ts';
import { times } from './functions/times.ts';
import { macros } from './macros.ts';
import { scores } from './scores.ts';

/**
 * Every function and form of conditions: the one table used by the checker, the compiler, the cost bounds, the
 * reference page and the editor's completion.
 */
export const definitions: readonly Definition[] = [
  forms,
  scores,
  text,
  names,
  macros,
  collections,
  times,
  numbers,
  places,
  addresses,
  conversions,
  masks,
].flat();

const byName: ReadonlyMap<string, readonly Definition[]> = Map.groupBy(definitions, ({ name }) => name);

/** The form of this name. No function shares the name of a form. */
export function formNamed(name: string): FormDefinition | undefined {
  return byName.get(name)?.find((definition) => definition.kind === 'form');
}

/** Functions and methods of this name. */
export function functionsNamed(name: string): readonly FunctionDefinition[] {
  return (byName.get(name) ?? []).filter((definition) => definition.kind === 'function');
}

/** Every name that can be called. */
export const callNames: readonly string[] = [...byName.keys()];
