/** An array as PostgreSQL reads it as text. Its elements need no quotes: ids and numbers. */
export function plainArray(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`;
}

/** OID of the elements (pg_type.dat). */
const bytea = 17;
const headBytes = 12;
const dimensionBytes = 8;
const lengthBytes = 4;

/**
 * `bytea[]` in PostgreSQL's binary form: dimensions, whether there are nulls, the elements' type; the number of elements
 * and the first index; each element with its length. As text, every byte would be two hexadecimal digits.
 */
export function bytesArray(elements: readonly Uint8Array[]): Buffer {
  const dimensions = elements.length === 0 ? 0 : 1;
  const contentBytes = elements.reduce((sum, element) => sum + lengthBytes + element.byteLength, 0);
  const array = Buffer.allocUnsafe(headBytes + dimensions * dimensionBytes + contentBytes);
  let at = array.writeInt32BE(dimensions);
  at = array.writeInt32BE(0, at);
  at = array.writeInt32BE(bytea, at);
  if (dimensions === 1) at = array.writeInt32BE(1, array.writeInt32BE(elements.length, at));
  for (const element of elements) {
    at = array.writeInt32BE(element.byteLength, at);
    array.set(element, at);
    at += element.byteLength;
  }
  return array;
}
