import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { secretText, sign, type SignedRequest, verify } from '../src/signature.ts';

const nowMs = 1_795_226_400_000;
const timestampSeconds = nowMs / 1_000;
const secret = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
const other = Buffer.from('ff'.repeat(32), 'hex');
const body = '{"action":2,"message":"Sesión cerrada €"}';

const good: SignedRequest = {
  id: 'act_a_1_2_3_0',
  timestamp: String(timestampSeconds),
  signature: sign({ id: 'act_a_1_2_3_0', timestampSeconds, body }, [secret]),
  body,
};

/** The library reads the system clock. */
beforeEach(() => vi.useFakeTimers({ now: nowMs, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

describe('signing', () => {
  it('is accepted by the independent library, for 1,000 random payloads', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.stringMatching(/^[a-z0-9_]{1,60}$/),
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        (text, id, key) => {
          const payload = JSON.stringify({ text });
          const signature = sign({ id, timestampSeconds, body: payload }, [key]);
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': String(timestampSeconds),
            'webhook-signature': signature,
          };
          expect(new Webhook(secretText(key)).verify(payload, headers)).toEqual({ text });
        },
      ),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it('accepts signatures of the independent library', () => {
    const signature = new Webhook(secretText(secret)).sign('msg_1', new Date(nowMs), body);
    const request = { id: 'msg_1', timestamp: String(timestampSeconds), signature, body };
    expect(verify(request, [secret], nowMs)).toBe('valid');
  });

  it('contains both signatures during a rotation, and either receiver accepts', () => {
    const signature = sign({ id: 'a', timestampSeconds, body }, [other, secret]);
    expect(signature.split(' ')).toHaveLength(2);
    for (const one of [secret, other]) {
      const headers = {
        'webhook-id': 'a',
        'webhook-timestamp': String(timestampSeconds),
        'webhook-signature': signature,
      };
      expect(() => new Webhook(secretText(one)).verify(body, headers)).not.toThrow();
      expect(verify({ ...good, id: 'a', signature }, [one], nowMs)).toBe('valid');
    }
  });
});

describe('verifying', () => {
  const text = good.signature ?? '';

  it.each<[string, Partial<SignedRequest>, string]>([
    ['nothing changed', {}, 'valid'],
    ['another scheme next to it', { signature: `v1a,abc ${text}` }, 'valid'],
    ['no id', { id: undefined }, 'missing'],
    ['an empty id', { id: '' }, 'missing'],
    ['no timestamp', { timestamp: undefined }, 'missing'],
    ['no signature', { signature: undefined }, 'missing'],
    ['an empty signature', { signature: '' }, 'missing'],
    ['another id', { id: 'act_a_1_2_3_1' }, 'mismatch'],
    ['another body', { body: `${body} ` }, 'mismatch'],
    ['another time', { timestamp: String(timestampSeconds + 1) }, 'mismatch'],
    ['a time that is not a number', { timestamp: '1795226400.5' }, 'mismatch'],
    ['300 s of age, signed for another time', { timestamp: String(timestampSeconds - 300) }, 'mismatch'],
    ['301 s of age', { timestamp: String(timestampSeconds - 301) }, 'stale'],
    ['301 s ahead', { timestamp: String(timestampSeconds + 301) }, 'stale'],
    ['a signature cut short', { signature: text.slice(0, -4) }, 'mismatch'],
    ['a signature without its scheme', { signature: text.slice(3) }, 'mismatch'],
    ['an empty signature of the scheme', { signature: 'v1,' }, 'mismatch'],
    ['a longer signature', { signature: `${text}AAAA` }, 'mismatch'],
    ['another base64 encoding of the same bytes', { signature: text.replace(/=$/, '') }, 'mismatch'],
    ['another secret', { signature: sign({ id: 'act_a_1_2_3_0', timestampSeconds, body }, [other]) }, 'mismatch'],
    ['the valid one behind seven others', { signature: `${'v1,x '.repeat(7)}${text}` }, 'valid'],
    ['the valid one behind more than any rotation needs', { signature: `${'v1,x '.repeat(8)}${text}` }, 'mismatch'],
  ])('%s: %s', (_, change, expected) => {
    expect(verify({ ...good, ...change }, [secret], nowMs)).toBe(expected);
  });

  it('accepts an age of up to 300 s', () => {
    expect(verify(good, [secret], nowMs + 300_000)).toBe('valid');
    expect(verify(good, [secret], nowMs - 300_000)).toBe('valid');
    expect(verify(good, [secret], nowMs + 300_001)).toBe('stale');
  });
});
