import { tokenReachMs } from '@ringfence/engine';
import { tokenAgeMsMax, tokenAheadMsMax } from '@ringfence/intel';
import { expect, it } from 'vitest';

it('device tokens are remembered for longer than they are accepted', () => {
  expect(tokenReachMs).toBeGreaterThan(tokenAgeMsMax + tokenAheadMsMax);
});
