import { type Arena, offsetMask } from './arena.ts';

/* A block: a header of 32-bit numbers, then bytes. The first number is unused. */
const sizeAt = 1;
const headerCells = 1;
const cellBytes = 8;

/** Byte strings in an arena. */
export class PackedBytes {
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Copies bytes into a new block. */
  pack(packed: Uint8Array): number {
    const block = this.#arena.allocate(cellsOf(packed.length));
    const { ints, bytes } = this.#arena.pageOf(block);
    const cell = block & offsetMask;
    ints[cell * 2 + sizeAt] = packed.length;
    bytes.set(packed, (cell + headerCells) * cellBytes);
    return block;
  }

  /** The bytes in place: valid until the block is released. */
  bytesOf(block: number): Uint8Array {
    const from = ((block & offsetMask) + headerCells) * cellBytes;
    return this.#arena.pageOf(block).bytes.subarray(from, from + this.#number(block, sizeAt));
  }

  release(block: number): void {
    this.#arena.release(block, cellsOf(this.#number(block, sizeAt)));
  }

  #number(block: number, at: number): number {
    return this.#arena.pageOf(block).ints[(block & offsetMask) * 2 + at]!;
  }
}

function cellsOf(sizeBytes: number): number {
  return headerCells + Math.ceil(sizeBytes / cellBytes);
}
