import { UnknownPartitionError } from '../log.ts';
import { type Queryable, rowsOf } from './rows.ts';

/**
 * Raises the generation of a partition, on the caller's own connection: every append that was given an earlier generation
 * and has not been stored yet is refused with `StaleGenerationError`.
 *
 * For a process that takes a lock over from one whose append may still be under way: fence first, then read what there is
 * to append.
 *
 * @returns the generation for the caller's own appends
 * @throws UnknownPartitionError
 */
export async function fenceAppends(connection: Queryable, partition: string): Promise<number> {
  const text = 'UPDATE log_partition SET generation = generation + 1 WHERE partition = $1 RETURNING generation';
  const [row] = await rowsOf<[generation: number]>(connection, { text, values: [partition] });
  if (row === undefined) throw new UnknownPartitionError(partition);
  return row[0];
}
