/*
 * Places of the numbers of 32 bits that every block with a name begins with, whatever stands behind them.
 */
export const hashAt = 0;
/** Characters of the name, and in the lowest bit whether it is wide. */
export const nameAt = 1;
/** Bytes of a snapshot, 0 for nothing but the name; below 0 for an entity in use, and its flags. */
export const formAt = 2;
/** Number of the checkpoint that it changed before; 0 for never. */
export const changedInAt = 3;
/** Place among the changed blocks, while it is one of them. */
export const changedPlaceAt = 4;

/** What stands at `nameAt`. */
export function nameNumber({ length, isWide }: { readonly length: number; readonly isWide: boolean }): number {
  return length * 2 + (isWide ? 1 : 0);
}
