import { describe, expect, it } from 'vitest';
import { RefusedBuffer } from '../../src/ingest/refused-buffer.ts';
import type { RefusedRequest } from '../../src/ingest/refused-request.ts';

const hour = 3_600_000;

function refused(changes: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    atMs: 10 * hour,
    workspaceId: 'w',
    keyId: 'k',
    requestId: 'r',
    method: 'POST',
    path: '/p',
    status: 422,
    code: 'event.invalid',
    bodyBytes: 2,
    errors: [],
    ...changes,
  };
}

function requestsOf(buffer: RefusedBuffer): number {
  return buffer.take().counts.reduce((sum, count) => sum + count.requests, 0);
}

describe('RefusedBuffer', () => {
  it('counts every request and keeps 30 samples per workspace, code and minute', () => {
    const buffer = new RefusedBuffer();
    for (let index = 0; index < 100; index++) buffer.note(refused());
    buffer.note(refused({ code: 'json.malformed' }));
    buffer.note(refused({ workspaceId: 'other' }));
    buffer.note(refused({ workspaceId: undefined }));
    const { samples, counts } = buffer.take();
    expect(samples).toHaveLength(33);
    expect(counts.map((count) => count.requests)).toEqual([100, 1, 1, 1]);
    expect(counts.map((count) => count.workspaceId)).toEqual(['w', 'w', 'other', '']);
    buffer.note(refused({ atMs: 10 * hour + 59_999 }));
    expect(buffer.take().samples).toHaveLength(0);
    buffer.note(refused({ atMs: 10 * hour + 60_000 }));
    expect(buffer.take().samples).toHaveLength(1);
  });

  it('counts per hour', () => {
    const buffer = new RefusedBuffer();
    for (const atMs of [0, hour - 1, hour, 2 * hour - 1]) buffer.note(refused({ atMs }));
    expect(buffer.take().counts.map((count) => [count.hourMs, count.requests])).toEqual([
      [0, 2],
      [hour, 2],
    ]);
  });

  it('is bounded, however many requests come', () => {
    const buffer = new RefusedBuffer();
    for (let index = 0; index < 20_000; index++) buffer.note(refused({ workspaceId: `w${index}` }));
    const { samples, counts } = buffer.take();
    expect(samples).toHaveLength(1_000);
    expect(counts).toHaveLength(5_000);
  });

  it('takes back a batch that could not be written, without losing counts', () => {
    const buffer = new RefusedBuffer();
    for (let index = 0; index < 3; index++) buffer.note(refused());
    const batch = buffer.take();
    buffer.note(refused());
    buffer.putBack(batch);
    buffer.putBack(batch);
    expect(requestsOf(buffer)).toBe(7);
  });
});
