import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { Action, Effect, HoldEffect } from '../../src/effect.ts';
import { holdMembersMax, holdsMax } from '../../src/limits.ts';
import { newState } from '../../src/state.ts';
import { nextDueMs, step } from '../../src/step.ts';
import { LogBuilder, policyOf, subjectOf } from '../log-builder.ts';

const actions = `
actions:
  7: { name: Hold, hold: { release: 8, reject: 9, within: 30m, otherwise: OTHERWISE } }
  8: { name: Release, message: "{{transaction.reference}} released" }
  9: { name: Reject, message: "{{transaction.reference}} rejected" }
`;
const rule = `
rules:
  - { reason: 100, name: large, on: [operation], when: order.amount > 50, then: { action: 7, message: "{{order.amount}} is held" } }
`;

function policy(otherwise: string, rules = rule) {
  return policyOf(`${actions.replace('OTHERWISE', otherwise)}${rules}`);
}

/** A workspace where a client has logged in. */
function day(otherwise = 'keep', rules = rule): LogBuilder {
  const log = new LogBuilder();
  log.settings();
  log.policy(policy(otherwise, rules));
  log.login('ana', { session: 's' });
  return log;
}

const paid = { session: 's', amount: '60', currency: 'EUR', payee: '1' };

function effectsOf(log: LogBuilder): readonly Effect[] {
  const state = newState({ complete: true });
  return log.records.flatMap((record) => {
    const stepped = step(state, record);
    if (stepped.kind === 'need') throw new Error('a complete state needs nothing');
    return stepped.effects;
  });
}

function holdsOf(log: LogBuilder): readonly string[] {
  return effectsOf(log).flatMap((effect) => (isOfHold(effect) ? told(effect) : []));
}

function isOfHold(effect: Effect): effect is HoldEffect {
  return effect.kind.startsWith('hold');
}

function told(effect: HoldEffect): string {
  const offset = effect.hold.offset;
  switch (effect.kind) {
    case 'holdOpened':
      return `${offset} opened until +${(effect.dueMs - effect.atMs) / minuteMs}m, otherwise ${effect.otherwise}`;
    case 'holdJoined':
      return `${offset} joined by ${effect.member.offset}`;
    case 'holdKept':
      return `${offset} kept: ${effect.because}`;
    case 'holdLeft':
      return `${offset} left by ${effect.member.offset}: ${effect.resolution}`;
    case 'holdResolved':
      return `${offset} ${effect.resolution} by ${effect.by}: ${effect.actions.map(({ offset: of, action, message }) => `${of} ${action} ${message}`).join(', ')}`;
  }
}

function actionsOf(log: LogBuilder): readonly Action[] {
  return effectsOf(log).filter((effect) => effect.kind === 'action');
}

function decide(log: LogBuilder, offset: number, change: 'propose' | 'withdraw' | 'release' | 'reject'): void {
  const hold = { hold: { offset, reason: 100, position: 0 }, change, author: 'eva' };
  log.append({ kind: 'hold', subject: subjectOf('ana'), hold });
}

describe('a held payment', () => {
  it('is released by a person, with the message of its operation', () => {
    const log = day();
    const held = log.operation('ana', { ...paid, reference: 'R-1' });
    decide(log.wait(minuteMs), held, 'release');
    expect(holdsOf(log)).toEqual([
      `${held} opened until +30m, otherwise keep`,
      `${held} released by person: ${held} 8 R-1 released`,
    ]);
  });

  it('is decided once: the first decision counts', () => {
    const log = day();
    const held = log.operation('ana', paid);
    decide(log, held, 'reject');
    decide(log, held, 'release');
    expect(holdsOf(log).slice(1)).toEqual([`${held} rejected by person: ${held} 9  rejected`]);
  });

  it.each([
    ['release', 'released by deadline'],
    ['reject', 'rejected by deadline'],
  ])('ends by itself as its terms say: %s', (otherwise, end) => {
    const log = day(otherwise);
    const held = log.operation('ana', { ...paid, reference: 'R' });
    for (let minute = 0; minute < 31; minute++) log.wait(minuteMs).append({ kind: 'tick' });
    expect(holdsOf(log)[1]).toContain(`${held} ${end}`);
  });

  it('is kept until a person decides, and ends unresolved after 30 days', () => {
    const log = day('keep');
    const held = log.operation('ana', paid);
    log.wait(hourMs).append({ kind: 'tick' });
    log.wait(31 * dayMs).append({ kind: 'tick' });
    expect(holdsOf(log).slice(1)).toEqual([`${held} kept: policy`, `${held} unresolved by age: `]);
  });

  it('is not held while the workspace only observes, or in shadow', () => {
    const log = day('keep', rule.replace('then:', 'mode: shadow, then:'));
    log.operation('ana', paid);
    expect(holdsOf(log)).toEqual([]);
    const observed = new LogBuilder();
    observed.settings({ deliver: 'observe' });
    observed.policy(policy('keep'));
    observed.login('ana', { session: 's' });
    observed.operation('ana', paid);
    expect(holdsOf(observed)).toEqual([]);
  });
});

describe('it is not released by itself', () => {
  function kept(between: (log: LogBuilder, held: number) => void): readonly string[] {
    const log = day('release');
    const held = log.operation('ana', paid);
    log.wait(minuteMs);
    between(log, held);
    for (let minute = 0; minute < 31; minute++) log.wait(minuteMs).append({ kind: 'tick' });
    return holdsOf(log).filter((line) => line.includes('kept'));
  }

  it('while it is labelled fraud', () => {
    const found = kept((log, held) => {
      const event = log.records[held]!;
      if (event.kind === 'event') log.append({ kind: 'label', label: 'fraud', event });
    });
    expect(found).toEqual(['3 kept: fraud']);
  });

  it('while a decision is pending', () => {
    expect(kept((log, held) => decide(log, held, 'propose'))).toEqual(['3 kept: proposed']);
    const withdrawn = kept((log, held) => {
      decide(log, held, 'propose');
      decide(log, held, 'withdraw');
    });
    expect(withdrawn).toEqual([]);
  });

  it('after five minutes without a record, or a new epoch', () => {
    expect(kept((log) => log.wait(6 * minuteMs).append({ kind: 'tick' }))).toEqual(['3 kept: interrupted']);
    const restored = kept((log) => {
      log.append({ kind: 'tick', epoch: 1 });
      log.append({ kind: 'tick', epoch: 2 });
    });
    expect(restored).toEqual(['3 kept: interrupted']);
  });

  it('while its client is blocked', () => {
    const blocking = `${rule}  - { reason: 200, name: block, on: [logout], when: 'client.id == "ana"', then: { action: 1 } }\n`;
    const log = day('release', blocking);
    const held = log.operation('ana', paid);
    const offset = log.logout('ana', { session: 's' });
    const outcome = { offset, reason: 200, position: 0, action: 1, result: 'executed' as const };
    log.append({ kind: 'outcome', subject: subjectOf('ana'), outcome });
    for (let minute = 0; minute < 31; minute++) log.wait(minuteMs).append({ kind: 'tick' });
    expect(holdsOf(log)[1]).toBe(`${held} kept: blocked`);
  });

  it('and a record comes each minute, so that an outage shows', () => {
    const log = day('release');
    log.operation('ana', paid);
    const state = newState({ complete: true });
    for (const record of log.records) step(state, record);
    expect(nextDueMs(state)).toBe(log.nowMs + minuteMs);
  });
});

describe('a repeat of a held payment', () => {
  it('joins the hold, asks the bank again, and is resolved with it', () => {
    const log = day();
    const held = log.operation('ana', { ...paid, reference: 'R-1' });
    const again = log.wait(secondMs).operation('ana', { ...paid, reference: 'R-2' });
    decide(log, held, 'release');
    expect(holdsOf(log).slice(1)).toEqual([
      `${held} joined by ${again}`,
      `${held} released by person: ${held} 8 R-1 released, ${again} 8 R-2 released`,
    ]);
    expect(actionsOf(log).map(({ offset, action }) => [offset, action])).toEqual([
      [held, 7],
      [again, 7],
    ]);
  });

  it.each([
    ['another amount', { amount: '61' }],
    ['another payee', { payee: '2' }],
    ['another currency', { currency: 'MXN' }],
  ])('is another payment with %s, even under the same reference', (_, changed) => {
    const log = day();
    log.operation('ana', { ...paid, reference: 'R' });
    const other = log.operation('ana', { ...paid, reference: 'R', ...changed });
    expect(holdsOf(log)[1]).toContain(`${other} opened`);
  });

  it('is held by a rule that is in its cooldown', () => {
    const log = day('keep', rule.replace('then:', 'cooldown: 1h per session, then:'));
    const held = log.operation('ana', paid);
    const again = log.operation('ana', paid);
    expect(holdsOf(log)[1]).toBe(`${held} joined by ${again}`);
  });

  it('is held again for a day after a rejection, but not after a release', () => {
    for (const [change, holds] of [
      ['reject', 2],
      ['release', 1],
    ] as const) {
      const log = day('keep', rule.replace('order.amount > 50', 'order.amount > 50 && client.operations < 2'));
      const held = log.operation('ana', paid);
      decide(log, held, change);
      log.operation('ana', paid);
      log.wait(25 * hourMs).operation('ana', paid);
      expect(holdsOf(log).filter((line) => line.includes('opened'))).toHaveLength(holds);
    }
  });

  it(`opens a hold of its own beyond ${holdMembersMax} operations`, () => {
    const log = day();
    for (let count = 0; count <= holdMembersMax; count++) log.operation('ana', paid);
    expect(holdsOf(log).filter((line) => line.includes('opened'))).toHaveLength(2);
  });
});

describe('the bank', () => {
  it('ends a hold by itself, and is asked for nothing', () => {
    const log = day();
    const held = log.operation('ana', paid);
    const again = log.operation('ana', paid);
    for (const [offset, outcome] of [
      [again, 'cancelled'],
      [held, 'executed'],
    ] as const) {
      const event = log.records[offset]!;
      if (event.kind === 'event') log.append({ kind: 'report', report: { outcome }, event });
    }
    expect(holdsOf(log).slice(2)).toEqual([`${held} left by ${again}: rejected`, `${held} released by bank: `]);
  });
});

describe('several rules', () => {
  it('hold one payment once: the shortest time and the strictest end count', () => {
    const both = `${rule}  - { reason: 200, name: more, on: [operation], when: order.amount > 55, then: { action: 7, message: m, hold: { within: 10m, otherwise: reject } } }\n`;
    const log = day('release', both);
    const held = log.operation('ana', paid);
    expect(holdsOf(log)).toEqual([`${held} opened until +10m, otherwise reject`]);
  });
});

describe('facts about holds', () => {
  it('count the payments of the client and to the payee that are held before the event', () => {
    const shows = `${rule}  - { reason: 200, name: shows, on: [operation], when: client.heldPayments >= 0, then: { action: 3, message: "{{client.heldPayments}} {{client.heldAmount}} {{payee.heldPayments}} {{payee.heldAmount}}" } }\n`;
    const log = day('keep', shows);
    log.operation('ana', paid);
    log.operation('ana', { ...paid, amount: '70' });
    log.operation('ana', { ...paid, amount: '5', payee: '2' });
    const messages = actionsOf(log).filter(({ action }) => action === 3);
    expect(messages.map(({ message }) => message)).toEqual(['0 0 0 0', '1 60 1 60', '2 130 0 0']);
  });
});

describe('the bound', () => {
  it(`ends the hold that is due first beyond ${holdsMax} payments`, () => {
    const log = day();
    const first = log.operation('ana', paid);
    for (let count = 1; count <= holdsMax; count++) log.operation('ana', { ...paid, amount: String(60 + count) });
    expect(holdsOf(log).filter((line) => line.includes('crowded'))).toEqual([`${first} unresolved by crowded: `]);
  });
});

describe('an erased client', () => {
  it('has no holds any more', () => {
    const log = day();
    const held = log.operation('ana', paid);
    log.append({ kind: 'erase', subject: subjectOf('ana') });
    decide(log, held, 'release');
    expect(holdsOf(log).slice(1)).toEqual([`${held} unresolved by erased: `]);
  });
});
