import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../src/byte-reader.ts';
import { ByteWriter } from '../src/byte-writer.ts';

const value = fc.oneof(
  fc.record({ kind: fc.constant('bool' as const), value: fc.boolean() }),
  fc.record({ kind: fc.constant('uint' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('uint' as const), value: fc.nat(300) }),
  fc.record({ kind: fc.constant('int' as const), value: fc.maxSafeInteger().map((int) => int + 0) }),
  fc.record({ kind: fc.constant('int' as const), value: fc.integer({ min: -200, max: 200 }) }),
  fc.record({ kind: fc.constant('big' as const), value: fc.bigInt() }),
  fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'binary' }) }),
  fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme-ascii', maxLength: 300 }) }),
  fc.record({ kind: fc.constant('optionalText' as const), value: fc.option(fc.string(), { nil: undefined }) }),
  fc.record({ kind: fc.constant('optionalInt' as const), value: fc.option(fc.integer(), { nil: undefined }) }),
);

function write(writer: ByteWriter, one: typeof value extends fc.Arbitrary<infer V> ? V : never): void {
  switch (one.kind) {
    case 'bool':
      return writer.bool(one.value);
    case 'uint':
      return writer.uint(one.value);
    case 'int':
      return writer.int(one.value);
    case 'big':
      return writer.big(one.value);
    case 'text':
      return writer.text(one.value);
    case 'optionalText':
      return writer.optionalText(one.value);
    case 'optionalInt':
      return writer.optionalInt(one.value);
  }
}

describe('the binary format', () => {
  it('reads back what it wrote, in order', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), (values) => {
        const writer = new ByteWriter();
        for (const one of values) write(writer, one);
        const reader = new ByteReader(writer.take());
        const read = values.map((one) => ({ kind: one.kind, value: reader[one.kind]() }));
        expect(read).toEqual(values);
        expect(reader.done).toBe(true);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it('keeps lone surrogates, so that two different texts never become one', () => {
    const texts = ['\ud800', '\udfff\ud800', 'a\ud83d', '😀'];
    const writer = new ByteWriter();
    for (const text of texts) writer.text(text);
    const reader = new ByteReader(writer.take());
    expect(texts.map(() => reader.text())).toEqual(texts);
  });

  it.each([
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [Number.MAX_SAFE_INTEGER, 8],
  ])('writes %d in %d bytes', (number, sizeBytes) => {
    const writer = new ByteWriter();
    writer.uint(number);
    expect(writer.take()).toHaveLength(sizeBytes);
  });

  it('rejects truncated bytes, whatever their content', () => {
    const writer = new ByteWriter();
    writer.text('a text of some length');
    writer.uint(70_000);
    const bytes = writer.take();
    for (let length = 0; length < bytes.length; length++) {
      const reader = new ByteReader(bytes.subarray(0, length));
      expect(() => [reader.text(), reader.uint()]).toThrow('truncated');
    }
  });
});
