import { PartitionClosedError } from '@ringfence/log';

/** SQLSTATE of a change that the triggers of a move refuse. */
export const refusedState = '55R01';

/** Whether a change was refused because its workspace is in another database now: nothing of it was written. */
export function hasLeft(error: unknown): boolean {
  if (error instanceof PartitionClosedError) return true;
  return error instanceof Error && (Reflect.get(error, 'code') === refusedState || hasLeft(error.cause));
}
