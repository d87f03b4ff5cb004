import type { LoginEvent, LogoutEvent, OperationEvent } from '../src/event.ts';

export function login(user = 'ana', session = 's-1'): LoginEvent {
  return { channelId: 1, user, session, publicIp: '203.0.113.7', data: '' };
}

export function logout(user = 'ana', session = 's-1'): LogoutEvent {
  return { channelId: 1, user, session };
}

export function operation(reference: string, user = 'ana', session = 's-1'): OperationEvent {
  return {
    channelId: 1,
    timestamp: '2026-11-21T10:00:00-06:00',
    transaction: { category: 'transfer', reference },
    account: { client: user, session },
    order: { amount: '1250.50', currency: 'MXN' },
  };
}
