import { afterEach, expect, it } from 'vitest';
import { createRingfence } from '../src/ringfence.ts';

const described = Object.getOwnPropertyDescriptor(JSON, 'rawJSON')!;
afterEach(() => void Object.defineProperty(JSON, 'rawJSON', described));

it('a Node that can not print amounts exactly is told at the start, not at the first payment', () => {
  Reflect.deleteProperty(JSON, 'rawJSON');
  expect(() =>
    createRingfence({ baseUrl: 'https://bank.example', licenseKey: 'a-key', environment: 'production' }),
  ).toThrow(/needs Node\.js 22 or later; this is v/);
});
