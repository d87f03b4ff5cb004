import { expect, it } from 'vitest';
import { emailName } from '../../src/accounts/email-name.ts';

it.each([
  ['Mara@Bank.Example', 'mara@bank.example'],
  ['mara@bänk.example', 'mara@xn--bnk-qla.example'],
  ['MARA@XN--BNK-QLA.example', 'mara@xn--bnk-qla.example'],
  ['Márta@bank.example', 'márta@bank.example'],
  ['"a@b"@bank.example', '"a@b"@bank.example'],
  ['mara@not a domain', 'mara@not a domain'],
])('of %s is %s', (email, name) => {
  expect(emailName(email)).toBe(name);
});
