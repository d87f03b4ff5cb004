import type { EpochMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { Action, Decision } from '../src/effect.ts';
import { encodeDecision } from '../src/encode-decision.ts';

const decision: Decision = {
  kind: 'decision',
  offset: 7,
  event: 'operation',
  subject: 'subject',
  atMs: 1_760_000_000_000 as EpochMs,
  eventAtMs: 1_760_000_000_000 as EpochMs,
  policyVersion: 3,
  outcome: 'decided',
  repeatOf: undefined,
  session: { matched: false, mismatch: 'closed' },
  fired: [{ reason: 1, name: 'rule', mode: 'live', suppressed: undefined, facts: { a: '1', b: '2' } }],
  missing: [4],
  score: 10,
  country: 'MX',
};

const action: Action = {
  kind: 'action',
  offset: 7,
  reason: 1,
  position: 0,
  action: 2,
  state: 'due',
  channelId: 1,
  session: 's1',
  client: 'ana',
  subject: 'subject',
  reference: undefined,
  message: 'text',
  format: 'text',
  atMs: 1_760_000_000_000 as EpochMs,
};

describe('the bytes of a decision', () => {
  it('are the same for the same decision, in any order of its facts', () => {
    const facts = { b: '2', a: '1' };
    const other = { ...decision, fired: [{ ...decision.fired[0]!, facts }] };
    expect(encodeDecision(other, [action])).toEqual(encodeDecision(decision, [action]));
  });

  it('are the same in any country, which is only found by', () => {
    expect(encodeDecision({ ...decision, country: undefined }, [action])).toEqual(encodeDecision(decision, [action]));
  });

  it.each<[string, Decision, readonly Action[]]>([
    ['offset', { ...decision, offset: 8 }, [action]],
    ['event', { ...decision, event: 'login' }, [action]],
    ['subject', { ...decision, subject: undefined }, [action]],
    ['atMs', { ...decision, atMs: 1 as EpochMs }, [action]],
    ['eventAtMs', { ...decision, eventAtMs: 1 as EpochMs }, [action]],
    ['policyVersion', { ...decision, policyVersion: 4 }, [action]],
    ['outcome', { ...decision, outcome: 'repeat', repeatOf: 1 }, [action]],
    ['session', { ...decision, session: undefined }, [action]],
    ['mismatch', { ...decision, session: { matched: true, mismatch: undefined } }, [action]],
    ['a fact', { ...decision, fired: [{ ...decision.fired[0]!, facts: { a: '1', b: '3' } }] }, [action]],
    ['suppressed', { ...decision, fired: [{ ...decision.fired[0]!, suppressed: 'cooldown' }] }, [action]],
    ['mode', { ...decision, fired: [{ ...decision.fired[0]!, mode: 'shadow' }] }, [action]],
    ['a score', { ...decision, fired: [{ ...decision.fired[0]!, score: 10 }] }, [action]],
    ['the score', { ...decision, score: 11 }, [action]],
    ['missing', { ...decision, missing: [] }, [action]],
    ['no action', decision, []],
    ['a message', decision, [{ ...action, message: 'other' }]],
    ['a state', decision, [{ ...action, state: 'held' }]],
    ['an action', decision, [{ ...action, action: 1 }]],
    ['a position', decision, [{ ...action, position: 1 }]],
    ['a client', decision, [{ ...action, client: undefined }]],
    ['a session', decision, [{ ...action, session: '' }]],
    ['a format', decision, [{ ...action, format: 'html' }]],
  ])('differ if %s differs', (_, other, actions) => {
    expect(encodeDecision(other, actions)).not.toEqual(encodeDecision(decision, [action]));
  });
});
