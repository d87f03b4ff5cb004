import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, type Place, seal, SealError } from '../../../src/platform/secrets/seal.ts';
import { nextInRange, ownMessagesMax } from '../../../src/platform/secrets/sealing-ranges.ts';
import { sealAsBefore } from '../../support/seal-as-before.ts';

const key = Buffer.alloc(32, 7);
const here: Place = { of: 'event:a', row: 'login' };

describe('a sealed value', () => {
  it('is decrypted by its key in its place', () => {
    const name = fc.string().map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), name, name, (bytes, of, row) => {
        expect(open(key, seal(key, bytes, { of, row }), { of, row })).toEqual(Buffer.from(bytes));
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('is version, range, iv, ciphertext and tag: 33 bytes longer', () => {
    const sealed = seal(Buffer.alloc(32, 8), Buffer.from('hello'), here);
    expect([...sealed.subarray(0, 5)]).toEqual([2, 0, 0, 0, 0]);
    expect(sealed).toHaveLength(5 + 33);
  });

  it('never has the same IV twice', () => {
    const ivs = Array.from({ length: 3_000 }, () => seal(key, Buffer.alloc(0), here).subarray(5, 17).toString('hex'));
    expect(new Set(ivs).size).toBe(3_000);
  });

  it.each([
    ['under another key', (sealed: Buffer) => open(randomBytes(32), sealed, here)],
    ['in another workspace', (sealed: Buffer) => open(key, sealed, { ...here, of: 'event:b' })],
    ['in another row', (sealed: Buffer) => open(key, sealed, { ...here, row: 'logout' })],
    ['cut short', (sealed: Buffer) => open(key, sealed.subarray(0, -1), here)],
    ['of another version', (sealed: Buffer) => open(key, Buffer.concat([Buffer.of(3), sealed.subarray(1)]), here)],
    ['empty', () => open(key, Buffer.alloc(0), here)],
  ])('%s cannot be decrypted', (_, tamper) => {
    expect(() => tamper(seal(key, Buffer.from('secret'), here))).toThrow(SealError);
  });

  it('cannot be decrypted with any bit changed', () => {
    const sealed = seal(key, Buffer.from('secret'), here);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => open(key, changed, here), `byte ${at}`).toThrow(SealError);
    }
  });
});

describe('a value sealed by an earlier release', () => {
  const sealed = sealAsBefore(key, Buffer.from('secret'), 'event:a');

  it('opens, in any row of its workspace and client, which is all that it was bound to', () => {
    expect(open(key, sealed, here).toString()).toBe('secret');
    expect(open(key, sealed, { ...here, row: 'logout' }).toString()).toBe('secret');
    expect(() => open(key, sealed, { ...here, of: 'event:b' })).toThrow(SealError);
  });

  it('is not what a value of today becomes when its version is changed', () => {
    const today = seal(key, Buffer.from('secret'), here);
    for (const cut of [today.subarray(1), today.subarray(5)]) {
      expect(() => open(key, Buffer.concat([Buffer.of(1), cut]), here)).toThrow(SealError);
    }
  });
});

describe('the ranges of a key', () => {
  /** The key's first messages are under itself; then HKDF-SHA-256 gives a key for each range (RFC 5869). */
  it('begin after 1,024 messages of a thread, and each has its own derived key', () => {
    const own = randomBytes(32);
    const ranges = Array.from({ length: ownMessagesMax + 2 }, () => seal(own, Buffer.from('x'), here).readUInt32BE(1));
    expect(new Set(ranges.slice(0, ownMessagesMax))).toEqual(new Set([0]));
    const [range, same] = ranges.slice(ownMessagesMax);
    expect(range).toBeGreaterThan(0);
    expect(same).toBe(range);

    const sealed = seal(own, Buffer.from('beyond'), here);
    const derived = Buffer.from(hkdfSync('sha256', own, '', `ringfence range ${range}`, 32));
    const decipher = createDecipheriv('aes-256-gcm', derived, sealed.subarray(5, 17));
    decipher.setAAD(Buffer.from('event:a\nlogin')).setAuthTag(sealed.subarray(-16));
    expect(Buffer.concat([decipher.update(sealed.subarray(17, -16)), decipher.final()]).toString()).toBe('beyond');
    expect(open(Buffer.from(own), sealed, here).toString()).toBe('beyond');
  });

  it('keep the number of messages under one key below the bound of NIST SP 800-38D', () => {
    const own = randomBytes(32);
    const counts = new Map<number, number>();
    for (let i = 0; i < ownMessagesMax + 2 ** 20 + 1; i++) {
      const { range } = nextInRange(own);
      counts.set(range, (counts.get(range) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual([ownMessagesMax, 2 ** 20, 1]);
  });
});
