/**
 * Arrays in PostgreSQL's binary format: dimensions, whether there are nulls, the element type; the number of elements
 * and the first index; each element with its length. The driver would write them as text, with every element quoted and
 * every byte of a `bytea` as two hexadecimal digits, at ten times the cost.
 *
 * A parameter must have exactly that type: declare it, as in `$1::bigint[]`.
 */

/** OIDs of element types (pg_type.dat). */
const oids = { bool: 16, bytea: 17, int8: 20, int4: 23, text: 25, float8: 701 };

type Elements<T> = readonly (T | null | undefined)[];

const headBytes = 12;
const dimensionBytes = 8;
const lengthBytes = 4;
const nullLength = -1;
const highWord = 2 ** 32;

interface Encoding<T> {
  readonly oid: number;
  readonly bytesOf: (element: T) => number;
  /** @returns the position after the element */
  readonly write: (array: Buffer, at: number, element: T) => number;
}

// Made once: V8 would compile functions that are made for each call again and again.
const bytes: Encoding<Uint8Array> = {
  oid: oids.bytea,
  bytesOf: (element) => element.byteLength,
  write: (array, at, element) => {
    array.set(element, at);
    return at + element.byteLength;
  },
};
const text: Encoding<string> = {
  oid: oids.text,
  bytesOf: (element) => Buffer.byteLength(element),
  write: (array, at, element) => at + array.write(element, at),
};
const int8: Encoding<number> = {
  oid: oids.int8,
  bytesOf: () => 8,
  write: (array, at, element) => {
    array.writeInt32BE(Math.floor(element / highWord), at);
    return array.writeInt32BE(element | 0, at + 4);
  },
};
const int4: Encoding<number> = {
  oid: oids.int4,
  bytesOf: () => 4,
  write: (array, at, element) => array.writeInt32BE(element, at),
};
const float8: Encoding<number> = {
  oid: oids.float8,
  bytesOf: () => 8,
  write: (array, at, element) => array.writeDoubleBE(element, at),
};
const bool: Encoding<boolean> = {
  oid: oids.bool,
  bytesOf: () => 1,
  write: (array, at, element) => array.writeUInt8(element ? 1 : 0, at),
};

export function bytesArray(elements: Elements<Uint8Array>): Buffer {
  return arrayOf(elements, bytes);
}

export function textArray(elements: Elements<string>): Buffer {
  return arrayOf(elements, text);
}

/** Safe integers. */
export function int8Array(elements: Elements<number>): Buffer {
  return arrayOf(elements, int8);
}

export function int4Array(elements: Elements<number>): Buffer {
  return arrayOf(elements, int4);
}

export function float8Array(elements: Elements<number>): Buffer {
  return arrayOf(elements, float8);
}

export function boolArray(elements: Elements<boolean>): Buffer {
  return arrayOf(elements, bool);
}

function arrayOf<T>(elements: Elements<T>, { oid, bytesOf, write }: Encoding<T>): Buffer {
  const dimensions = elements.length === 0 ? 0 : 1;
  let size = headBytes + dimensions * dimensionBytes;
  let hasNull = 0;
  for (const element of elements) {
    size += lengthBytes;
    if (element === null || element === undefined) hasNull = 1;
    else size += bytesOf(element);
  }
  const array = Buffer.allocUnsafe(size);
  let at = array.writeInt32BE(dimensions);
  at = array.writeInt32BE(hasNull, at);
  at = array.writeInt32BE(oid, at);
  if (dimensions === 1) at = array.writeInt32BE(1, array.writeInt32BE(elements.length, at));
  for (const element of elements) {
    if (element === null || element === undefined) {
      at = array.writeInt32BE(nullLength, at);
      continue;
    }
    const end = write(array, at + lengthBytes, element);
    array.writeInt32BE(end - at - lengthBytes, at);
    at = end;
  }
  return array;
}
