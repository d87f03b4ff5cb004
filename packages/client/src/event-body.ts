import type { EventKind, RingfenceEvent } from './event.ts';

/** JSON source text access, which the library declarations of this package do not contain yet. */
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
 * Serializes the event for the wire. An amount given as text becomes a JSON number with the same digits.
 *
 * @throws TypeError when it can't be written as JSON (a cycle, a bigint), or an amount is not a decimal number
 */
export function printEvent(event: RingfenceEvent): Buffer {
  // Fast path: most amounts are numbers and print unchanged. A replacer makes printing several times slower.
  // Untyped callers may pass anything: JSON.stringify returns undefined for a function.
  const text: string | undefined = JSON.stringify(event.event, isPlain(event) ? undefined : replacerFor(event.kind));
  if (text === undefined) throw new TypeError('the event is not an object');
  return Buffer.from(text);
}

function isPlain({ kind, event }: RingfenceEvent): boolean {
  if (kind === 'operation') return Number.isFinite(event.order?.amount);
  if (kind !== 'outcome') return true;
  return [event.loss, event.recovered].every((amount) => amount === undefined || Number.isFinite(amount));
}

type Replacer = (this: unknown, name: string, value: unknown) => unknown;

function replacerFor(kind: EventKind): Replacer {
  return kind === 'outcome' ? outcomeReplacer() : operationReplacer();
}

/** Receives every member as it will be printed: an amount may be a library's object that serializes to text. */
function operationReplacer(): Replacer {
  let event: unknown;
  let order: unknown;
  return function (name, value) {
    if (name === '' && event === undefined) event = value;
    else if (name === 'order' && this === event) order = value;
    else if (name === 'amount' && this === order) return rawAmount('order.amount', value);
    return value;
  };
}

function outcomeReplacer(): Replacer {
  let report: unknown;
  return function (name, value) {
    if (name === '' && report === undefined) report = value;
    else if ((name === 'loss' || name === 'recovered') && this === report) return rawAmount(name, value);
    return value;
  };
}

function rawAmount(name: string, amount: unknown): unknown {
  if (typeof amount === 'number' && !Number.isFinite(amount)) throw new TypeError(`${name} is not finite`);
  if (typeof amount !== 'string') return amount;
  if (!decimalNumber.test(amount)) throw new TypeError(`${name} is not a decimal number`);
  return json.rawJSON(amount);
}

/** Parses the printed event. Numbers whose digits a double can't represent are returned as text. Never throws. */
export function parseEvent(kind: EventKind, body: Buffer): RingfenceEvent {
  return { kind, event: parseWithDigits(body.toString()) } as RingfenceEvent;
}

function parseWithDigits(text: string): unknown {
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && String(value) !== source ? source : value,
    );
  } catch {
    // Thousands of nested levels can be printed and parsed, but overflow the stack in a reviver.
    return JSON.parse(text);
  }
}
