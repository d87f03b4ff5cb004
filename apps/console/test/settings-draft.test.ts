import { fraudCodesDefault } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { differingFields, settingsDraft, settingsPatch } from '../src/pages/settings/settings-draft.ts';

const kept = {
  timezone: 'UTC',
  cards: 'mask',
  sessionGraceSeconds: 5,
  blockHours: 24,
  keepEvents: '400d',
  keepActions: '400d',
  deliver: 'observe',
} as const;

describe('the settings form', () => {
  it('shows the defaults of absent settings', () => {
    const { fourEyes, secondAbove, heldAgainHours, keyMayLabel, fraudCodes } = settingsDraft(kept);
    expect({ fourEyes, secondAbove, heldAgainHours, keyMayLabel }).toEqual({
      fourEyes: false,
      secondAbove: [],
      heldAgainHours: 24,
      keyMayLabel: false,
    });
    expect(fraudCodes.split('\n')).toEqual(fraudCodesDefault);
  });

  it('sends only what changed, and removes currencies that were taken out', () => {
    const before = settingsDraft({ ...kept, holds: { secondAbove: { MXN: 1_000, USD: 50 } } });
    const secondAbove = [
      { currency: 'MXN', amount: '2000' },
      { currency: 'GTQ', amount: '7' },
    ];
    expect(settingsPatch(before, { blockHours: 48, secondAbove })).toEqual({
      blockHours: 48,
      holds: { secondAbove: { MXN: 2_000, USD: null, GTQ: 7 } },
    });
    expect(settingsPatch(before, { keyMayLabel: true, fraudCodes: ' 10.4 \n\n4837' })).toEqual({
      outcomes: { keyMayLabel: true, fraudCodes: ['10.4', '4837'] },
    });
    expect(settingsPatch(before, { fraudTypes: 'sim-swap  SIM swap\n\n mule Money mule ' })).toEqual({
      outcomes: {
        fraudTypes: [
          { code: 'sim-swap', name: 'SIM swap' },
          { code: 'mule', name: 'Money mule' },
        ],
      },
    });
    const own = { keyMayLabel: false, fraudCodes: [], fraudTypes: [{ code: 'mule', name: 'Money mule' }] };
    expect(settingsDraft({ ...kept, outcomes: own }).fraudTypes).toBe('mule Money mule');
  });

  it('is unchanged once its values are those that are kept', () => {
    const before = settingsDraft({ ...kept, holds: { secondAbove: { MXN: 1_000 } } });
    expect(differingFields(before, { secondAbove: [{ currency: 'MXN', amount: '1000' }] })).toBeUndefined();
    expect(differingFields(before, { secondAbove: [], blockHours: 24 })).toEqual({ secondAbove: [] });
  });
});
