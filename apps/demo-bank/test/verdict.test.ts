import { describe, expect, it } from 'vitest';
import type { Arrival } from '../src/bank/webhook-server.ts';
import type { Story } from '../src/play/story.ts';
import { judge } from '../src/play/verdict.ts';

const story: Story = {
  name: 'a story',
  tells: 'something happens',
  steps: [],
  expected: [{ reason: 201, action: 2, user: 'ana', executed: true }],
};

function arrival(parts: { reason?: number; action?: number; user?: string; executed?: boolean } = {}): Arrival {
  const { reason = 201, action = 2, user = 'ana', executed = true } = parts;
  const request = {
    id: 'act_1',
    isTest: false,
    action,
    channel: 1,
    date: '',
    message: '',
    reason,
    session: 's',
    client: 'c',
  };
  return { action: request, user, executed, message: 'said' };
}

const isRight = (arrivals: readonly Arrival[]): boolean => judge([story], arrivals).every((finding) => finding.isRight);

it('is right if every expected action arrived exactly once, and no other', () => {
  expect(isRight([arrival()])).toBe(true);
});

describe('is wrong', () => {
  it.each([
    ['when it is missing', []],
    ['when it comes twice', [arrival(), arrival()]],
    ['when another rule fires', [arrival({ reason: 202 })]],
    ['when another action is asked for', [arrival({ action: 1 })]],
    ['when it is about somebody else', [arrival({ user: 'eva' })]],
    ['when the bank answers otherwise', [arrival({ executed: false })]],
    ['when something comes beside it', [arrival(), arrival({ reason: 301 })]],
  ])('%s', (_, arrivals) => {
    expect(isRight(arrivals)).toBe(false);
  });
});

it('counts an action that is expected twice', () => {
  const twice = { ...story, expected: story.expected.map((expected) => ({ ...expected, times: 2 })) };
  const areRight = (arrivals: readonly Arrival[]) => judge([twice], arrivals).every((finding) => finding.isRight);
  expect(areRight([arrival(), arrival()])).toBe(true);
  expect(areRight([arrival()])).toBe(false);
  expect(areRight([arrival(), arrival({ executed: false })])).toBe(false);
});

it('names unexpected actions', () => {
  const findings = judge([story], [arrival(), arrival({ reason: 301, user: 'client-007' })]);
  expect(findings.at(-1)).toMatchObject({ story: 'anybody else', arrived: 'client-007: close session (rule 301)' });
});
