import { tokenReachMs } from '@ringfence/engine';
import { tokenAgeMsMax, tokenAheadMsMax } from '@ringfence/intel';
import { expect, it } from 'vitest';

it('a token is remembered for longer than it is taken', () => {
  expect(tokenReachMs).toBeGreaterThan(tokenAgeMsMax + tokenAheadMsMax);
});
