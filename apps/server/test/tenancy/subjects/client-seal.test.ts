import { expect, it } from 'vitest';
import { clientPlace, keyAmong, subjectsIn } from '../../../src/tenancy/subjects/client-seal.ts';

it('places begin as in earlier releases, whose data could otherwise not be decrypted', () => {
  const of = { workspaceId: 'workspc2', subject: 'subject234567abc' };
  expect(clientPlace('event', of, 'login')).toEqual({ of: 'event:workspc2:subject234567abc', row: 'login' });
  expect(clientPlace('decision', { ...of, subject: undefined }, '1:7').of).toBe('decision:workspc2:-');
  expect(clientPlace('action', { ...of, subject: null }, 'id').of).toBe('action:workspc2:-');
});

it('data without a client uses the workspace’s key; an erased client has no key', () => {
  const data = Buffer.from('of the workspace');
  const workspace = { secrets: { data } };
  const keys = new Map([['known', Buffer.from('of a client')]]);
  expect(keyAmong(keys, workspace, null)).toBe(data);
  expect(keyAmong(keys, workspace, undefined)).toBe(data);
  expect(keyAmong(keys, workspace, 'known')).toBe(keys.get('known'));
  expect(keyAmong(keys, workspace, 'erased')).toBeUndefined();
});

it('subjectsIn returns each client once, and skips items without a client', () => {
  const rows = [{ subject: 'one' }, { subject: null }, { subject: 'two' }, { subject: 'one' }, {}];
  expect(subjectsIn(rows)).toEqual(['one', 'two']);
});
