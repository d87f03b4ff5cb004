import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { base64url, utf8 } from '../../src/base64url.ts';
import { concatKdf } from '../../src/token/concat-kdf.ts';

/** RFC 7518 Appendix C: Alice's ephemeral key and Bob's static key agree on a key for A128GCM. */
it('derives the key of RFC 7518 Appendix C', async () => {
  const secret = [
    158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163, 218, 128, 106, 72,
    246, 218, 167, 121, 140, 254, 144, 196,
  ];
  const key = await concatKdf(new Uint8Array(secret).buffer, {
    algorithm: 'A128GCM',
    sender: utf8('Alice'),
    receiver: utf8('Bob'),
    bits: 128,
  });
  expect(base64url(key)).toBe('VqqN6vgjbSBcIijNcacQGg');
});

it('writes base64url as Node does', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (let length = 0; length <= 256; length++) {
    const part = bytes.subarray(0, length);
    expect(base64url(part)).toBe(Buffer.from(part).toString('base64url'));
  }
});
