import { expect, it } from 'vitest';
import { emailName, isEmail } from '../../../src/access/accounts/email-name.ts';

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

it.each([
  'admin token',
  'os:root',
  'mara@',
  '@bank.example',
  'a@b@c',
  'ma\u202Era@bank.example',
  'ma\u200Bra@bank.example',
  'a\u0007@b',
])('%j is not the name of a person', (text) => {
  expect(isEmail(text)).toBe(false);
});

it.each(['mara@bank.example', 'márta@bänk.example', 'root@localhost'])('%j may name a person', (text) => {
  expect(isEmail(text)).toBe(true);
});
