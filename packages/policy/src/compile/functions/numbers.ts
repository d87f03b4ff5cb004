import type { Decimal } from '@ringfence/contract';
import { type Integer, integer, intRange } from '../../values/integers.ts';
import { definer, type FunctionDefinition } from './definition.ts';

const define = definer('numbers');

/** Functions of numbers, in addition to the operators. */
export const numbers: readonly FunctionDefinition[] = [
  define('abs(int): int', {
    doc: 'The number without its sign.',
    example: 'abs(client.logins - client.operations) > 5',
    apply: (value: Integer) => (value < 0 ? integer(-BigInt(value), intRange) : value),
  }),
  define('abs(double): double', {
    doc: 'The number without its sign.',
    example: 'abs(-0.5) == 0.5',
    apply: (value: number) => Math.abs(value),
  }),
  define('abs(decimal): decimal', {
    doc: 'The number without its sign.',
    example: 'abs(order.amount - 1000) < 0.01',
    cost: 5,
    apply: (value: Decimal) => (value < 0n ? 0n - value : value),
  }),
];
