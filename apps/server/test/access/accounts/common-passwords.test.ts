import { expect, it } from 'vitest';
import { isCommonPassword } from '../../../src/access/accounts/common-passwords.ts';

it.each([
  'aaaaaaaaaaaa',
  '121212121212',
  'abc123abc123',
  'passwordpassword',
  'Password1234!',
  'P@ssw0rd1234',
  'Contraseña2026',
  'Administrator1',
  '123456789012',
  'qwertyuiop12',
  'asdfghjkl;12',
  'abcdefghijkl',
  'Welcome2026!',
  'Ringfence2026',
  'passwordqwerty',
  'admin1234admin',
])('%s is easily guessed', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

it.each([
  'correct horse battery staple',
  'another horse another staple',
  'another correct horse battery staple',
  'Tr4in-window-moss',
  'xK9#vq2Lm!pZ',
  'la contraseña de mi abuela es larga',
  'the password of the moss',
  'муха летит над полем',
])('%s is not easily guessed', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});
