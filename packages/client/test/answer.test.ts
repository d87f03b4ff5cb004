import { describe, expect, it } from 'vitest';
import { readVerdict } from '../src/answer.ts';
import type { TransportAnswer } from '../src/transport.ts';

const answer = (parts: Partial<TransportAnswer>): TransportAnswer => ({
  status: 200,
  retryAfter: undefined,
  requestId: undefined,
  body: '',
  ...parts,
});

it.each([
  [200, 'stored'],
  [202, 'stored'],
  [299, 'stored'],
  [300, 'refused'],
  [301, 'refused'],
  [307, 'refused'],
  [400, 'refused'],
  [401, 'refused'],
  [404, 'refused'],
  [408, 'retry'],
  [413, 'refused'],
  [422, 'refused'],
  [499, 'refused'],
  [429, 'retry'],
  [500, 'retry'],
  [502, 'retry'],
  [503, 'retry'],
])('%i means %s', (status, kind) => {
  expect(readVerdict(answer({ status })).kind).toBe(kind);
});

it.each([
  ['{"id":"evt_1_1","status":"accepted"}', 'stored'],
  // A decision longer than what is read of it.
  ['{"id":"evt_1_1","sta', 'stored'],
  ['', 'stored'],
  ['<!doctype html><title>We will be back soon</title>', 'retry'],
  ['\n OK', 'retry'],
])('200 with %j means %s', (body, kind) => {
  expect(readVerdict(answer({ body })).kind).toBe(kind);
});

it.each([
  ['3', 3_000],
  ['0', undefined],
  ['86400', 60_000],
  ['Sat, 21 Nov 2026 10:00:00 GMT', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  [undefined, undefined],
])('Retry-After %s waits %s ms', (retryAfter, retryAfterMs) => {
  expect(readVerdict(answer({ status: 503, retryAfter }))).toMatchObject({ retryAfterMs });
});

describe('the detail of a refusal', () => {
  it.each([
    ['{"detail":"d","title":"t","code":"c"}', { code: 'c', detail: 'd' }],
    ['{"title":"t"}', { code: undefined, detail: 't' }],
    ['{"detail":7,"errors":[null,1,{"pointer":"/a","detail":"b"},{"pointer":1}]}', { detail: 'status 400; /a: b' }],
    ['{"title":"t","errors":[{"pointer":"/a","detail":"b.","expected":"c"}]}', { detail: 't; /a: b. Expected: c.' }],
    ['<html>', { detail: 'status 400' }],
    ['null', { detail: 'status 400' }],
    ['', { detail: 'status 400' }],
  ])('of %s', (body, expected) => {
    expect(readVerdict(answer({ status: 400, body }))).toMatchObject({ kind: 'refused', ...expected });
  });
});
