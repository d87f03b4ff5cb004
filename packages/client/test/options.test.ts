import { describe, expect, it } from 'vitest';
import { resolveOptions, type RingfenceOptions } from '../src/options.ts';

const good: RingfenceOptions = { baseUrl: 'https://bank.example', licenseKey: 'a-key', environment: 'production' };

describe('an invalid option is rejected at start', () => {
  it.each<[string, Partial<RingfenceOptions>]>([
    ['no address', { baseUrl: 'bank.example' }],
    ['another protocol', { baseUrl: 'ftp://bank.example' }],
    ['the whole path of the events', { baseUrl: 'https://bank.example/api/v5/analytics/app/' }],
    ['a user in the address', { baseUrl: 'https://ana@bank.example' }],
    ['a password in the address', { baseUrl: 'https://:secret@bank.example' }],
    ['a query', { baseUrl: 'https://bank.example/?a=b' }],
    ['a fragment', { baseUrl: 'https://bank.example/#a' }],
    ['a key of development for production', { licenseKey: 'rf_test_abc' }],
    ['a key of production for development', { licenseKey: 'rf_live_abc', environment: 'development' }],
    ['plain http to another machine', { baseUrl: 'http://bank.example' }],
    ['plain http to a name that begins like this machine', { baseUrl: 'http://127.0.0.1.example' }],
    ['no key', { licenseKey: '' }],
    ['a key that is not set', { licenseKey: undefined as unknown as string }],
    ['another environment', { environment: 'prod' as 'production' }],
    ['another path', { path: 'mobile' as 'app' }],
    ['a key with a line break', { licenseKey: 'a\r\nX-Other: b' }],
    ['a key with a space at its end', { licenseKey: 'a ' }],
    ['no room', { queueEventsMax: 0 }],
    ['half a request', { parallelMax: 1.5 }],
    ['no time', { requestTimeoutMs: Number.NaN }],
  ])('%s', (_, wrong) => {
    expect(() => resolveOptions({ ...good, ...wrong })).toThrow(TypeError);
  });

  it('without revealing the key', () => {
    expect(() => resolveOptions({ ...good, licenseKey: 'se\ncret' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('cret') as string }) as Error,
    );
  });
});

it.each<[string, Partial<RingfenceOptions>]>([
  ['https', { baseUrl: 'https://bank.example' }],
  ['a path before that of the service', { baseUrl: 'https://bank.example/v5/ringfence/' }],
  ['a key of production', { licenseKey: 'rf_live_abc' }],
  ['a key of development', { licenseKey: 'rf_test_abc', environment: 'development' }],
  ['plain http to this machine', { baseUrl: 'http://127.0.0.1:8080' }],
  ['plain http to localhost', { baseUrl: 'http://localhost:8080' }],
  ['plain http to this machine, version 6', { baseUrl: 'http://[::1]:8080' }],
  ['plain http where it is allowed', { baseUrl: 'http://bank.example', allowPlainHttp: true }],
  ['a key with a space in it', { licenseKey: 'a key of a bank' }],
])('%s works', (_, right) => {
  expect(() => resolveOptions({ ...good, ...right })).not.toThrow();
});
