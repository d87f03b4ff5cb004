import { expect, it } from 'vitest';
import { isOfProvider } from '../../../src/access/accounts/is-of-provider.ts';

it.each([
  ['https://id.bank.example', 'https://id.bank.example', true],
  ['https://id.bank.example', 'https://id.bank.example/', true],
  ['https://id.bank.example/realms/staff', 'https://id.bank.example/realms/staff', true],
  ['https://id.bank.example/realms/staff', 'https://id.bank.example/realms/clients', false],
  ['https://id.bank.example', 'https://old.bank.example', false],
  ['https://id.bank.example', 'http://id.bank.example', false],
  ['https://login.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.com/0f4b/v2.0', true],
  ['https://login.microsoftonline.com/0f4b', 'https://sts.windows.net/0f4b/', true],
  ['https://bank.b2clogin.com/bank/p/v2.0', 'https://bank.b2clogin.com/0f4b/v2.0/', true],
  ['https://login.microsoftonline.com/common/v2.0', 'https://old.bank.example', false],
  ['https://login.microsoftonline.com/common/v2.0', 'https://evil.example/.b2clogin.com', false],
])('a configuration with %s accepts accounts of %s: %s', (provider, issuer, isIt) => {
  expect(isOfProvider(provider, issuer)).toBe(isIt);
});
