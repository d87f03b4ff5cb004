import { dayMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { retentionMs } from '../../../src/tenancy/workspaces/retention-period.ts';

it.each([
  ['7d', 7 * dayMs],
  ['400d', 400 * dayMs],
  ['36500d', 36_500 * dayMs],
  ['forever', Infinity],
  ['6d', undefined],
  ['0d', undefined],
  ['36501d', undefined],
  ['400', undefined],
  ['007d', undefined],
  ['-7d', undefined],
  ['1.5d', undefined],
  ['7d ', undefined],
  ['9999999d', undefined],
  ['Forever', undefined],
  ['', undefined],
])('%j is kept for %s', (written, ms) => {
  expect(retentionMs(written)).toBe(ms);
});
