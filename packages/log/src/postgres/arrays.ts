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

export function bytesArray(elements: Elements<Uint8Array>): Buffer {
  const write = (array: Buffer, at: number, element: Uint8Array): number => {
    array.set(element, at);
    return at + element.byteLength;
  };
  return arrayOf(oids.bytea, elements, { bytesOf: (element) => element.byteLength, write });
}

export function textArray(elements: Elements<string>): Buffer {
  const write = (array: Buffer, at: number, element: string): number => at + array.write(element, at);
  return arrayOf(oids.text, elements, { bytesOf: (element) => Buffer.byteLength(element), write });
}

/** Safe integers. */
export function int8Array(elements: Elements<number>): Buffer {
  const write = (array: Buffer, at: number, element: number): number => {
    array.writeInt32BE(Math.floor(element / highWord), at);
    return array.writeInt32BE(element | 0, at + 4);
  };
  return arrayOf(oids.int8, elements, { bytesOf: () => 8, write });
}

export function int4Array(elements: Elements<number>): Buffer {
  return arrayOf(oids.int4, elements, {
    bytesOf: () => 4,
    write: (array, at, element) => array.writeInt32BE(element, at),
  });
}

export function float8Array(elements: Elements<number>): Buffer {
  return arrayOf(oids.float8, elements, {
    bytesOf: () => 8,
    write: (array, at, element) => array.writeDoubleBE(element, at),
  });
}

export function boolArray(elements: Elements<boolean>): Buffer {
  return arrayOf(oids.bool, elements, {
    bytesOf: () => 1,
    write: (array, at, element) => array.writeUInt8(element ? 1 : 0, at),
  });
}

interface Encoding<T> {
  readonly bytesOf: (element: T) => number;
  /** @returns the position after the element */
  readonly write: (array: Buffer, at: number, element: T) => number;
}

function arrayOf<T>(oid: number, elements: Elements<T>, { bytesOf, write }: Encoding<T>): Buffer {
  const dimensions = elements.length === 0 ? 0 : 1;
  let bytes = headBytes + dimensions * dimensionBytes;
  let hasNull = 0;
  for (const element of elements) {
    bytes += lengthBytes;
    if (element === null || element === undefined) hasNull = 1;
    else bytes += bytesOf(element);
  }
  const array = Buffer.allocUnsafe(bytes);
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
