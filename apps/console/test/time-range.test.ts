import { describe, expect, it } from 'vitest';
import { readTimeRange, spanOf } from '../src/url/time-range.ts';

describe('the time range in an address', () => {
  it.each([
    [{ range: '7d' }, { range: '7d' }],
    [{ range: '7d', from: '2026-01-01' }, { range: '7d' }],
    [{ from: '2026-01-01T00:00:00Z' }, { from: '2026-01-01T00:00:00.000Z' }],
    [
      { from: '2026-01-01', to: '2026-02-01' },
      { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    ],
    [{ from: '2026-02-01', to: '2026-01-01' }, {}],
    [{ range: 'ever', from: 'yesterday' }, {}],
  ])('reads %o as %o', (search, read) => {
    expect(readTimeRange(search)).toEqual(read);
  });

  it('defaults to the last day, truncated to the minute', () => {
    const nowMs = Date.UTC(2026, 10, 22, 2, 30, 42, 7);
    expect(spanOf({}, nowMs)).toEqual({ from: '2026-11-21T02:30:00.000Z' });
  });
});
