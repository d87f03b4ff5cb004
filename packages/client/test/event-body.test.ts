import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '../src/event.ts';
import { parseEvent, printEvent } from '../src/event-body.ts';

function amountOf(amount: string | number): string | undefined {
  const event: OperationEvent = { channelId: 1, timestamp: 't', order: { currency: 'MXN', amount } };
  const text = printEvent({ kind: 'operation', event }).toString();
  return /"amount":([^,}]*)/.exec(text)?.[1];
}

describe('an amount', () => {
  it('given as text keeps every digit, as a JSON number', () => {
    const units = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
    const places = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(units, places, (units, places) => {
        const amount = `${units}.${places}`;
        expect(amountOf(amount)).toBe(amount);
      }),
      { seed: 1 },
    );
  });

  it.each(['', '1.', '.5', '01', '1e3', '1,5', ' 1', '0x10', 'NaN', '1}'])('is not %j', (amount) => {
    expect(() => amountOf(amount)).toThrow(TypeError);
  });

  it.each([0, 12.5, -3])('given as the number %d is that number', (amount) => {
    expect(amountOf(amount)).toBe(String(amount));
  });
});

describe('an event with class instances', () => {
  const print = (event: unknown): unknown =>
    JSON.parse(printEvent({ kind: 'operation', event: event as OperationEvent }).toString());

  it('prints an amount that is a library object as the number it serializes to', () => {
    const decimal = { digits: [1, 250, 5], toJSON: () => '1250.50' };
    expect(print({ channelId: 1, order: { amount: decimal } })).toEqual({ channelId: 1, order: { amount: 1250.5 } });
  });

  it('uses its own toJSON, whatever its amount is', () => {
    const order = { amount: '1250.50', toJSON: () => ({ amount: '7.0', currency: 'MXN' }) };
    const event = { order, secret: 'kept', toJSON: () => ({ channelId: 1, order }) };
    expect(print(event)).toEqual({ channelId: 1, order: { amount: 7, currency: 'MXN' } });
  });

  it('does not change amounts elsewhere, or logins', () => {
    const details = { amount: 'a', order: { amount: 'b' } };
    expect(print({ transaction: { details }, amount: 'c' })).toEqual({ transaction: { details }, amount: 'c' });
    const login = { channelId: 1, user: 'ana', publicIp: '', data: '', order: { amount: '5' } };
    expect(JSON.parse(printEvent({ kind: 'login', event: login }).toString())).toEqual(login);
  });
});

it('parses bodies that are nested too deeply for a reviver', () => {
  const depth = 4_000;
  const extra: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  const event = { channelId: 1, user: 'ana', publicIp: '', data: '', extra };
  const read = parseEvent('login', printEvent({ kind: 'login', event }));
  expect(read).toMatchObject({ kind: 'login', event: { channelId: 1, user: 'ana' } });
});

it('omits undefined members', () => {
  const event = { channelId: 1, user: 'ana', session: undefined, publicIp: '', data: '' };
  expect(printEvent({ kind: 'login', event }).toString()).toBe('{"channelId":1,"user":"ana","publicIp":"","data":""}');
});

it('parses what was printed, and prints it the same again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer(), fc.double(), (user, channelId, extra) => {
      const event = { channelId, user, publicIp: '', data: '', extra };
      const body = printEvent({ kind: 'login', event });
      const read = parseEvent('login', body);
      expect(read).toMatchObject({ kind: 'login', event: { channelId, user: user.toWellFormed() } });
    }),
    { seed: 1 },
  );
});
