import { expect, it } from 'vitest';
import { hashClient } from '../src/hash-client.ts';

// Made with: printf 'what do ya want for nothing?' | openssl dgst -sha256 -hmac Jefe (RFC 4231, test case 2).
it('is HMAC-SHA-256 under the pepper, in hex', () => {
  expect(hashClient('what do ya want for nothing?', Buffer.from('Jefe'))).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

it('accepts the pepper in base64', () => {
  const pepper = Buffer.from('Jefe');
  expect(hashClient('ana', pepper.toString('base64'))).toBe(hashClient('ana', pepper));
});

it('is the same for all Unicode encodings of a name', () => {
  expect(hashClient('Jose\u0301', Buffer.from('Jefe'))).toBe(hashClient('Jos\u00e9', Buffer.from('Jefe')));
});

it('rejects text without a UTF-8 form', () => {
  expect(() => hashClient('a\ud800', Buffer.from('Jefe'))).toThrow(TypeError);
});

it.each(['', 'pepper!', '5bdcc146 bf60', 'SmVmZg'])('rejects the pepper %j', (pepper) => {
  expect(() => hashClient('ana', pepper)).toThrow(TypeError);
});
