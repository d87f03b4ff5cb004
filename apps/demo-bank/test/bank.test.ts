import { type EventStatus, hashClient, type LoginEvent, type OperationEvent } from '@ringfence/client';
import { describe, expect, it } from 'vitest';
import { Bank, type Reporting } from '../src/bank/bank.ts';

const pepper = Buffer.alloc(32, 3).toString('base64');

function setUp(status?: Pick<EventStatus, 'actions'>) {
  const told: unknown[] = [];
  const ringfence: Reporting = {
    login: (event) => void told.push({ login: event }),
    logout: (event) => void told.push({ logout: event }),
    operation: (event, options) => void told.push({ operation: event, ...options }),
    outcome: (report) => void told.push({ outcome: report }),
    status: () =>
      Promise.resolve(
        status === undefined
          ? { found: false, why: 'unknown', detail: 'no such event' }
          : { found: true, status: { event: 'evt_1', status: 'decided', fired: [], suppressed: [], ...status } },
      ),
  };
  return { told, bank: new Bank(ringfence, pepper) };
}

const visit = { user: 'ana', session: 's-1', channelId: 1 };
const logIn = { ...visit, ip: '203.0.113.7', device: '' };
const transfer = {
  ...visit,
  category: 'transfer',
  reference: 'r-1',
  at: '2026-11-21T10:00:00Z',
  amount: '12.50',
  payee: { bank: 'B', account: '1' },
};

function asked(action: number, session = 's-1', user = 'ana') {
  const client = hashClient(user, pepper);
  return { id: 'act_1', isTest: false, action, channel: 1, date: '', message: '', reason: 1, session, client };
}

describe('the bank reports events', () => {
  it('with all fields that match an operation to its login', () => {
    const { bank, told } = setUp();
    bank.logIn(logIn);
    bank.operate(transfer);
    const [{ login }, operated] = told as [
      { login: LoginEvent },
      { operation: OperationEvent; idempotencyKey: string },
    ];
    expect(operated.operation).toMatchObject({
      channelId: login.channelId,
      timestamp: transfer.at,
      account: { client: login.user, session: login.session },
      order: { amount: '12.50', currency: 'MXN' },
    });
    expect(operated.idempotencyKey).toBe('r-1');
  });

  it('including operations that it refuses', () => {
    const { bank, told } = setUp();
    bank.logIn(logIn);
    bank.execute(asked(2));
    expect(bank.operate(transfer)).toBe('refused');
    expect(told).toHaveLength(2);
  });
});

describe('an action', () => {
  it('that blocks a user ends the sessions of the user and refuses new ones', () => {
    const { bank } = setUp();
    bank.logIn(logIn);
    expect(bank.operate(transfer)).toBe('done');
    expect(bank.execute(asked(1))).toMatchObject({ executed: true });
    expect([bank.operate(transfer), bank.logIn(logIn)]).toEqual(['refused', 'refused']);
  });

  it('that closes a session closes only that session', () => {
    const { bank } = setUp();
    bank.logIn(logIn);
    bank.logIn({ ...logIn, session: 's-2' });
    expect(bank.execute(asked(2))).toMatchObject({ executed: true });
    expect([bank.operate(transfer), bank.operate({ ...transfer, session: 's-2' })]).toEqual(['refused', 'done']);
  });

  it.each([1, 3, 4, 5])('%i about an unknown client is not executed', (action) => {
    const { bank } = setUp();
    expect(bank.execute(asked(action, 's-1', 'nobody'))).toMatchObject({ executed: false });
  });

  it('that is a test is acknowledged without effect', () => {
    const { bank } = setUp();
    bank.logIn(logIn);
    expect(bank.execute({ ...asked(1), isTest: true })).toMatchObject({ executed: true });
    expect(bank.operate(transfer)).toBe('done');
  });

  it('with an unknown number is not executed', () => {
    const { bank } = setUp();
    bank.logIn(logIn);
    expect(bank.execute(asked(11))).toMatchObject({ executed: false });
  });
});

const hold = { ...asked(7), id: 'act_hold', event: 'evt_1', reference: 'r-1' };
const ending = (action: number) => ({ ...asked(action), id: 'act_end', resolves: 'act_hold' });

describe('a held payment', () => {
  function holdOne(status?: Pick<EventStatus, 'actions'>) {
    const setting = setUp(status);
    setting.bank.operate(transfer);
    expect(setting.bank.execute(hold)).toMatchObject({ executed: true });
    return setting;
  }

  it.each([
    [8, 'executed'],
    [9, 'cancelled'],
  ])('is ended by action %i, and reported as %s', (action, outcome) => {
    const { bank, told } = holdOne();
    expect(bank.execute(ending(action))).toMatchObject({ executed: true });
    expect(told.at(-1)).toEqual({ outcome: { channelId: 1, outcome, user: 'ana', reference: 'r-1' } });
  });

  it('is ended once, and only by an action that names its hold', () => {
    const { bank } = holdOne();
    expect(bank.execute({ ...ending(8), resolves: 'act_other' })).toMatchObject({ executed: false });
    expect(bank.execute(asked(8))).toMatchObject({ executed: false });
    bank.execute(ending(8));
    expect(bank.execute(ending(9))).toMatchObject({ executed: false });
  });

  it('must be a payment of this bank', () => {
    const { bank } = setUp();
    bank.operate(transfer);
    expect(bank.execute({ ...hold, reference: 'r-2' })).toMatchObject({ executed: false });
  });

  const done = (webhookId: string, action: number) => ({
    webhookId,
    action,
    reason: 1,
    state: 'executed',
  });

  it('is compared with its status', async () => {
    const { bank } = holdOne({ actions: [done('act_hold', 7), done('act_end', 8)] });
    expect(await bank.reconcile()).toEqual(['payment r-1 of ana is held at the bank, and executed by its status']);
    bank.execute(ending(8));
    expect(await bank.reconcile()).toEqual([]);
  });

  it('without a status is a difference', async () => {
    expect(await holdOne().bank.reconcile()).toEqual([
      'payment r-1 of ana is held at the bank, and its status is unknown: no such event',
    ]);
  });
});

it.each([
  [true, 'stepUpPassed'],
  [false, 'stepUpFailed'],
])('a step-up is reported once, with the action that asked for it (passed: %s)', (isPassed, outcome) => {
  const { bank, told } = setUp();
  bank.logIn(logIn);
  expect(bank.confirm('ana', { method: 'passkey', isPassed })).toBe(false);
  bank.execute(asked(10));
  expect(bank.confirm('ana', { method: 'passkey', isPassed })).toBe(true);
  expect(told.at(-1)).toEqual({ outcome: { channelId: 1, outcome, method: 'passkey', webhookId: 'act_1' } });
  expect(bank.confirm('ana', { method: 'passkey', isPassed })).toBe(false);
});
