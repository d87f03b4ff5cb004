const integer = 0x02;
const sequence = 0x30;
/** A number whose first bit is set gets a leading zero byte, because DER integers are signed. */
const signBit = 0x80;

/**
 * A signature of ECDSA on P-256 in OpenSSL's form: the two numbers of `r | s` (JWS, IEEE P1363) as a DER sequence. Node
 * can convert it, but needs 20 microseconds, a quarter of a verification (docs/decisions/0104).
 *
 * @param signature 64 bytes
 */
export function derOf(signature: Uint8Array): Buffer {
  const half = signature.length / 2;
  const numbers = Buffer.concat([numberOf(signature.subarray(0, half)), numberOf(signature.subarray(half))]);
  return Buffer.concat([Buffer.of(sequence, numbers.length), numbers]);
}

function numberOf(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? bytes.subarray(-1) : bytes.subarray(first);
  const head = digits[0]! < signBit ? [integer, digits.length] : [integer, digits.length + 1, 0];
  return Buffer.concat([Buffer.from(head), digits]);
}
