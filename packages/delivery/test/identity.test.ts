import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionId, parseActionId } from '../src/identity.ts';

const number = fc.nat({ max: 2 ** 31 });
const identity = fc.record({
  workspaceId: fc.stringMatching(/^[a-z2-7]{8}$/),
  epoch: number,
  offset: fc.nat({ max: 2 ** 40 }),
  reason: number,
  position: fc.nat({ max: 99 }),
});

describe('the id of an action', () => {
  it('is printable text made of its identity', () => {
    const id = actionId({ workspaceId: 'k4x7qz2m', epoch: 1_795_000_000, offset: 41, reason: 101, position: 1 });
    expect(id).toBe('act_k4x7qz2m_1795000000_41_101_1');
  });

  it('contains every part, so different identities have different ids', () => {
    fc.assert(
      fc.property(identity, (parts) => {
        const { workspaceId, epoch, offset, reason, position } = parts;
        expect(actionId(parts).split('_')).toEqual([
          'act',
          workspaceId,
          ...[epoch, offset, reason, position].map(String),
        ]);
      }),
      { seed: 1 },
    );
  });

  it('is read back, and no other text is', () => {
    fc.assert(
      fc.property(identity, (parts) => {
        expect(parseActionId(actionId(parts))).toEqual(parts);
      }),
      { seed: 1 },
    );
    for (const text of [
      '',
      'act_test',
      'act_k4x7qz2m_1_2_3',
      'act_k4x7qz2m_01_2_3_0',
      'act_K4_1_2_3_0',
      ' act_a_1_2_3_0',
    ]) {
      expect(parseActionId(text)).toBeUndefined();
    }
  });
});
