import type { Key, Value } from '../value.ts';
import { definer, type FunctionDefinition } from './definition.ts';

const define = definer('lists and maps');

/** Functions of lists and maps, in addition to the forms that iterate over them. */
export const collections: readonly FunctionDefinition[] = [
  ...(['list.size(): int', 'size(list): int'] as const).map((signature) =>
    define(signature, {
      doc: 'How many items the list has.',
      example: signature.startsWith('size') ? 'size(lists.words) > 3' : 'lists.words.size() > 3',
      apply: (value: readonly Value[]) => value.length,
    }),
  ),
  ...(['map.size(): int', 'size(map): int'] as const).map((signature) =>
    define(signature, {
      doc: 'How many members the map has.',
      example: signature.startsWith('size') ? 'size(transaction.details) > 20' : 'transaction.details.size() > 20',
      apply: (value: ReadonlyMap<Key, Value>) => value.size,
    }),
  ),
  ...(['bytes.size(): int', 'size(bytes): int'] as const).map((signature) =>
    define(signature, {
      doc: 'The number of bytes.',
      example: signature.startsWith('size') ? 'size(b"abc") == 3' : 'b"abc".size() == 3',
      apply: (value: Uint8Array) => value.length,
    }),
  ),
];
