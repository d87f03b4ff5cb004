import type { EventKind, RingfenceEvent } from './event.ts';

/** JSON's source text access, newer than the library declarations that this package compiles against. */
interface JsonWithSource {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const json = JSON as unknown as JsonWithSource;
const decimalNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * The event as it goes over the wire. `order.amount` given as text becomes a JSON number with the same digits.
 *
 * @throws TypeError when it can't be written as JSON (a cycle, a bigint), or the amount is no decimal number
 */
export function printEvent({ kind, event }: RingfenceEvent): Buffer {
  // A number is printed as it is, and most amounts are one: looking at each member makes printing several times slower.
  const isPlain = kind !== 'operation' || Number.isFinite(event.order?.amount);
  // Whoever calls without types may hand over anything: JSON.stringify gives undefined for a function.
  const text: string | undefined = JSON.stringify(event, isPlain ? undefined : amountReplacer());
  if (text === undefined) throw new TypeError('the event is not an object');
  return Buffer.from(text);
}

/** Sees every member as it will be printed: an amount may be the object of a library that prints itself as text. */
function amountReplacer(): (this: unknown, name: string, value: unknown) => unknown {
  let event: unknown;
  let order: unknown;
  return function (name, value) {
    if (name === '' && event === undefined) event = value;
    else if (name === 'order' && this === event) order = value;
    else if (name === 'amount' && this === order) return rawAmount(value);
    return value;
  };
}

function rawAmount(amount: unknown): unknown {
  if (typeof amount === 'number' && !Number.isFinite(amount)) throw new TypeError('order.amount is not finite');
  if (typeof amount !== 'string') return amount;
  if (!decimalNumber.test(amount)) throw new TypeError('order.amount is not a decimal number');
  return json.rawJSON(amount);
}

/** The event that was printed. Numbers whose digits a double can't hold come back as text. Never throws. */
export function parseEvent(kind: EventKind, body: Buffer): RingfenceEvent {
  return { kind, event: parseWithDigits(body.toString()) } as RingfenceEvent;
}

function parseWithDigits(text: string): unknown {
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && String(value) !== source ? source : value,
    );
  } catch {
    // What is nested thousands deep can be printed and parsed, but a reviver runs out of stack in it.
    return JSON.parse(text);
  }
}
