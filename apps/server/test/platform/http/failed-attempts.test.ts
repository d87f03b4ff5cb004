import { describe, expect, it } from 'vitest';
import { FailedAttempts } from '../../../src/platform/http/failed-attempts.ts';

/** How many wrong tokens an address may send at this time. */
function triesOf(failed: FailedAttempts, address: string, nowMs: number): number {
  let tries = 0;
  while (failed.waitSeconds(address, nowMs) === undefined && tries < 1_000) {
    failed.note(address, nowMs);
    tries++;
  }
  return tries;
}

describe('failed attempts', () => {
  it('are limited to twenty in a row, then one every two seconds', () => {
    const failed = new FailedAttempts({ burst: 20, everyMs: 2_000 });
    expect(triesOf(failed, '192.0.2.1', 0)).toBe(20);
    expect(failed.waitSeconds('192.0.2.1', 500)).toBe(2);
    expect(triesOf(failed, '192.0.2.1', 1_999)).toBe(0);
    expect(triesOf(failed, '192.0.2.1', 2_000)).toBe(1);
    expect(triesOf(failed, '192.0.2.1', 12_000)).toBe(5);
    expect(triesOf(failed, '192.0.2.1', 1_000_000)).toBe(20);
  });

  it('are reported once when an address has none left', () => {
    const failed = new FailedAttempts({ burst: 20, everyMs: 2_000 });
    const said = Array.from({ length: 20 }, () => failed.note('192.0.2.1', 0));
    expect(said.map(Number).join('')).toBe(`${'0'.repeat(19)}1`);
  });

  it('are not refilled when the clock is set back', () => {
    const failed = new FailedAttempts({ burst: 20, everyMs: 2_000 });
    triesOf(failed, '192.0.2.1', 10_000);
    expect(triesOf(failed, '192.0.2.1', 0)).toBe(0);
    expect(failed.waitSeconds('192.0.2.1', 0)).toBe(2);
    expect(failed.waitSeconds('192.0.2.1', 2_000)).toBeUndefined();
  });

  it.each([
    ['192.0.2.1', '192.0.2.2', 20],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 0],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', 20],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', 20],
    ['fe80::1%eth0', 'fe80::2%eth1', 0],
    ['::1', '::2', 0],
  ])('from %s leave %s with %i attempts', (address, other, left) => {
    const failed = new FailedAttempts({ burst: 20, everyMs: 2_000 });
    triesOf(failed, address, 0);
    expect(triesOf(failed, other, 0)).toBe(left);
  });

  it('are evicted for the least recently used addresses', () => {
    const failed = new FailedAttempts({ burst: 20, everyMs: 2_000 });
    triesOf(failed, '192.0.2.1', 0);
    for (let i = 0; i < 10_000; i++) failed.note(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 0);
    expect(triesOf(failed, '192.0.2.1', 0)).toBe(20);
  });
});
