import { hashClient, type LoginEvent, type OperationEvent } from '@ringfence/client';
import { describe, expect, it } from 'vitest';
import { Bank, type Reporting } from '../src/bank/bank.ts';

const pepper = Buffer.alloc(32, 3).toString('base64');

function setUp() {
  const told: unknown[] = [];
  const ringfence: Reporting = {
    login: (event) => void told.push({ login: event }),
    logout: (event) => void told.push({ logout: event }),
    operation: (event, options) => void told.push({ operation: event, ...options }),
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
    expect(bank.execute(asked(8))).toMatchObject({ executed: false });
  });
});
