import { afterEach, expect, it, vi } from 'vitest';
import { createRingfence } from '../src/ringfence.ts';

const described = Object.getOwnPropertyDescriptor(JSON, 'rawJSON')!;
afterEach(() => {
  vi.unstubAllGlobals();
  Object.defineProperty(JSON, 'rawJSON', described);
});

const options = { baseUrl: 'https://bank.example', licenseKey: 'a-key', environment: 'production' } as const;

it('rejects an old Node that can not print amounts exactly, at start instead of at the first payment', () => {
  Reflect.deleteProperty(JSON, 'rawJSON');
  expect(() => createRingfence(options)).toThrow(/requires Node\.js 22 or later; this is v/);
});

it('accepts the first Node of version 22, which has no URL.parse', () => {
  vi.stubGlobal(
    'URL',
    class extends URL {
      static override parse = undefined as never;
    },
  );
  expect(() => createRingfence(options)).not.toThrow();
  expect(() => createRingfence({ ...options, baseUrl: 'bank' })).toThrow('baseUrl must be an http or https address');
});
