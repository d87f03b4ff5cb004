/* Indexes of the 32-bit numbers with which every block with a name begins, whatever follows them. */
export const hashAt = 0;
/** Length of the name in characters, times two; the lowest bit is set if it is wide. */
export const nameAt = 1;
/** Size of the snapshot in bytes, 0 for an absent name; negative for the flags of an entity in use. */
export const formAt = 2;
/** Number of the checkpoint before which it changed; 0 for never. */
export const changedInAt = 3;
/** Index in the list of changed blocks, if it is in one. */
export const changedPlaceAt = 4;

/** The value at `nameAt`. */
export function nameNumber({ length, isWide }: { readonly length: number; readonly isWide: boolean }): number {
  return length * 2 + (isWide ? 1 : 0);
}
