const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** How many base62 digits are needed for that many bits. */
export function base62Digits(bits: number): number {
  return Math.ceil(bits / Math.log2(digits.length));
}

/** The bytes as one big-endian number in base62, padded with zeros to `length` digits. */
export function base62(bytes: Uint8Array, length: number): string {
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = digits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text.padStart(length, '0');
}
