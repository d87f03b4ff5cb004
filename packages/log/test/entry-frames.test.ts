import { InvariantError, NewerFormError } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyKind } from '../conformance/log-harness.ts';
import { frameBytes, frameKinds, readFrames, writeFrame } from '../src/entry-frames.ts';
import type { LogEntry } from '../src/log.ts';

const anyEntry: fc.Arbitrary<LogEntry> = fc
  .record({
    kind: fc.constantFrom(...everyKind),
    subject: fc.option(fc.stringMatching(/^[\w-]{1,64}$/), { nil: undefined }),
    payload: fc.uint8Array({ maxLength: 300 }),
  })
  .map(({ subject, ...rest }) => (subject === undefined ? rest : { ...rest, subject }));

function written(entries: readonly LogEntry[]): Buffer {
  const block = Buffer.alloc(entries.reduce((sum, entry) => sum + frameBytes(entry), 0));
  const end = entries.reduce((at, entry) => writeFrame(block, at, entry), 0);
  expect(end).toBe(block.length);
  return block;
}

describe('frames', () => {
  it('return what was written, entry by entry', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 9 }), (entries) => {
        const frames = readFrames(written(entries));
        expect(frames.map(({ kind, subject, payload }) => ({ kind, subject, payload: [...payload] }))).toEqual(
          entries.map(({ kind, subject, payload }) => ({ kind, subject, payload: [...payload] })),
        );
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('have the format of existing logs', () => {
    const entry: LogEntry = { kind: 'operation', subject: 'abc', payload: Uint8Array.of(7, 8) };
    expect(written([entry, { kind: 'tick', payload: new Uint8Array() }]).toString('hex')).toBe(
      ['02', '03616263', '00000002', '0708', '06', '00', '00000000'].join(''),
    );
    expect(frameKinds).toEqual(everyKind);
  });

  it.each([
    ['no length', '0000'],
    ['half a length', '00000000'],
    ['a truncated subject', '0005616263'],
    ['a truncated payload', '0000000000020a'],
  ])('with %s are rejected', (_, hex) => {
    expect(() => readFrames(Buffer.from(hex, 'hex'))).toThrow(InvariantError);
  });

  it('of an unknown kind are distinguished from damaged ones', () => {
    expect(() => readFrames(Buffer.from('ff0000000000', 'hex'))).toThrow(NewerFormError);
  });
});
