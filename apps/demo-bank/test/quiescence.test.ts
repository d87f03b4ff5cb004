import { describe, expect, it } from 'vitest';
import type { SeenAction, SeenEvent, SeenHold, SeenOutcome } from '../src/service/management.ts';
import { waitForQuiescence } from '../src/service/quiescence.ts';

interface Look {
  readonly events: readonly SeenEvent[];
  readonly actions?: readonly SeenAction[];
  readonly holds?: readonly SeenHold[];
  readonly outcomes?: readonly SeenOutcome[];
}

const decided = { id: 'evt_1_1', status: 'decided' };
const kept: SeenHold = { id: 'act_1', reason: 961, members: 1, otherwise: 'keep' };

/** A service that returns these states in sequence, and repeats the last one. */
async function watch(looks: readonly Look[], accepted: number) {
  let seen = 0;
  const look = (): Look => looks[Math.min(seen, looks.length) - 1]!;
  const watched = {
    // The first question of a check.
    events: () => {
      seen += 1;
      return Promise.resolve(look().events);
    },
    actions: () => Promise.resolve(look().actions ?? []),
    openHolds: () => Promise.resolve(look().holds ?? []),
    outcomes: () => Promise.resolve(look().outcomes ?? []),
  };
  const open = await waitForQuiescence(watched, { accepted, looksMax: 5, pause: () => Promise.resolve() });
  return { open, seen };
}

it('requires two consecutive idle checks', async () => {
  expect(await watch([{ events: [decided] }], 1)).toEqual({ open: undefined, seen: 2 });
});

it('starts over if an event arrives between two checks', async () => {
  const late = { events: [decided], actions: [{ id: 'act_1', state: 'due' }] };
  expect(await watch([{ events: [decided] }, late, { events: [decided] }], 1)).toEqual({ open: undefined, seen: 4 });
});

describe('keeps checking, and finally reports what is unfinished', () => {
  it.each([
    ['1 of 2 events are not decided yet', { events: [decided] }],
    ['1 operations wait for their login', { events: [decided, { id: 'evt_1_2', status: 'waiting' }] }],
    [
      '2 held payments are neither released nor rejected yet',
      { events: [decided, decided], holds: [{ ...kept, otherwise: 'reject' }, { ...kept, decision: {} }, kept] },
    ],
    ['1 outcomes wait for their event', { events: [decided, decided], outcomes: [{ outcome: 'executed' }] }],
    ['1 actions are not delivered yet', { events: [decided, decided], actions: [{ id: 'a', state: 'leased' }] }],
  ])('%s', async (sentence, look) => {
    expect((await watch([look], 2)).open).toBe(sentence);
  });
});

it.each(['executed', 'notExecuted', 'expired', 'dead', 'held', 'observed', 'notAddressable'])(
  'an action that is %s is over',
  async (state) => {
    expect((await watch([{ events: [decided], actions: [{ id: 'act_1', state }] }], 1)).open).toBeUndefined();
  },
);

it('a payment that is held until a person decides is over', async () => {
  expect((await watch([{ events: [decided], holds: [kept] }], 1)).open).toBeUndefined();
});
