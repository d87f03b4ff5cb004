import { outcomeNames } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { keyMayReport, labelOf } from '../../src/outcomes/outcome-label.ts';

const chargeback = { channelId: 1, outcome: 'chargeback' } as const;
const settings = { outcomes: { keyMayLabel: true, fraudCodes: ['X1', '10.4'] } };

describe('what the license key may report', () => {
  it('is by default what changes no label and no block', () => {
    expect(outcomeNames.filter((outcome) => keyMayReport(outcome, {}))).toEqual([
      'stepUpPassed',
      'stepUpFailed',
      'stepUpAbandoned',
      'executed',
      'cancelled',
      'released',
      'rejected',
      'refund',
    ]);
    expect(keyMayReport('fraud', { outcomes: { keyMayLabel: false, fraudCodes: [] } })).toBe(false);
  });

  it('is everything in a workspace that says so', () => {
    expect(outcomeNames.every((outcome) => keyMayReport(outcome, settings))).toBe(true);
  });
});

describe('the label of an outcome', () => {
  it.each([
    ['fraud', 'fraud'],
    ['legitimate', 'legitimate'],
    ['retracted', 'none'],
    ['executed', undefined],
    ['refund', undefined],
    ['rejected', undefined],
    ['stepUpFailed', undefined],
  ] as const)('%s: %s', (outcome, label) => {
    expect(labelOf({ channelId: 1, outcome }, {})).toBe(label);
  });

  it.each([
    ['4837', undefined, 'fraud'],
    ['4837', 'opened', 'fraud'],
    ['4837', 'lost', 'fraud'],
    ['4837', 'won', 'none'],
    [' f29 ', 'opened', 'fraud'],
    // Goods not received, with Mastercard and Visa.
    ['4855', 'lost', undefined],
    ['13.1', 'won', undefined],
    [undefined, 'opened', undefined],
  ] as const)('a chargeback with code %s, %s: %s', (code, stage, label) => {
    const given = { ...(code === undefined ? {} : { code }), ...(stage === undefined ? {} : { stage }) };
    expect(labelOf({ ...chargeback, ...given }, {})).toBe(label);
  });

  it('follows the codes of the workspace', () => {
    expect(labelOf({ ...chargeback, code: 'x1' }, settings)).toBe('fraud');
    expect(labelOf({ ...chargeback, code: '4837' }, settings)).toBeUndefined();
  });
});
