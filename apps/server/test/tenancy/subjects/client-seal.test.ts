import { expect, it } from 'vitest';
import { clientContext, keyAmong, subjectsIn } from '../../../src/tenancy/subjects/client-seal.ts';

it('encryption contexts stay the same as in earlier releases, whose data could otherwise not be decrypted', () => {
  expect(clientContext('event', 'workspc2', 'subject234567abc')).toBe('event:workspc2:subject234567abc');
  expect(clientContext('decision', 'workspc2', undefined)).toBe('decision:workspc2:-');
  expect(clientContext('action', 'workspc2', null)).toBe('action:workspc2:-');
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
