import type { Expression } from '../expression/node.ts';
import { combine, type Compiled, type Context } from './compiled.ts';
import { keyCost, rawKey } from './membership.ts';
import { coerced } from './coerce.ts';
import { aType, isOpen, joined, mapType, type Type } from './type.ts';
import type { Key, Value } from './value.ts';

/** The types that a key can have. */
const keys: ReadonlySet<Type> = new Set(['int', 'uint', 'string', 'bool'] as const);

/** `{"a": 1}`. Missing if a key or a member is, or if a key occurs twice. */
export function compileMap(node: Expression & { readonly kind: 'map' }, context: Context): Compiled | undefined {
  const entries = node.entries.map(({ key, value }) => {
    const compiledKey = context.compile(key);
    const compiledValue = context.compile(value);
    if (compiledKey === undefined || compiledValue === undefined) return undefined;
    if (keys.has(compiledKey.type) || isOpen(compiledKey.type)) return { key: compiledKey, value: compiledValue };
    const message = `a map key is a string, a whole number, or true or false, not ${aType(compiledKey.type)}`;
    context.report({ start: key.start, end: key.end, message, suggestion: '{"a": 1}' });
    return undefined;
  });
  const known = entries.filter((entry) => entry !== undefined);
  if (known.length < entries.length) return undefined;
  const keyTypes = known.reduce<Type>((type, { key }) => joined(type, key.type), 'none');
  const type = known.reduce<Type>((common, { value }) => joined(common, value.type), 'none');
  return mapOf(
    mapType(keyTypes, type),
    known.map(({ key, value }) => ({ key, value: coerced(value, type) })),
  );
}

function mapOf(type: Type, entries: readonly { readonly key: Compiled; readonly value: Compiled }[]): Compiled {
  const runs = entries.map(({ key, value }) => [key.run, value.run] as const);
  const parts = entries.flatMap(({ key, value }) => [key, value]);
  return combine(type, parts, {
    run: (facts) => {
      const map = new Map<Key, Value>();
      for (const [runKey, runValue] of runs) {
        const key = runKey(facts);
        const value = runValue(facts);
        if (key === undefined || value === undefined || map.has(rawKey(key))) return undefined;
        map.set(rawKey(key), value);
      }
      return map;
    },
    cost: 3 + entries.reduce((sum, { key }) => sum + 2 + keyCost(key), 0),
    size: parts.reduce((sum, part) => sum + 1 + part.size, 0),
  });
}
