import { expect, it } from 'vitest';
import { clientContext, keyAmong, subjectsIn } from '../../../src/tenancy/subjects/client-seal.ts';

it('keeps the contexts under which releases before have sealed: another one opens nothing of theirs', () => {
  expect(clientContext('event', 'workspc2', 'subject234567abc')).toBe('event:workspc2:subject234567abc');
  expect(clientContext('decision', 'workspc2', undefined)).toBe('decision:workspc2:-');
  expect(clientContext('action', 'workspc2', null)).toBe('action:workspc2:-');
});

it('takes the workspace’s key for what names no client, and none for a client that was erased', () => {
  const data = Buffer.from('of the workspace');
  const workspace = { secrets: { data } };
  const keys = new Map([['known', Buffer.from('of a client')]]);
  expect(keyAmong(keys, workspace, null)).toBe(data);
  expect(keyAmong(keys, workspace, undefined)).toBe(data);
  expect(keyAmong(keys, workspace, 'known')).toBe(keys.get('known'));
  expect(keyAmong(keys, workspace, 'erased')).toBeUndefined();
});

it('names each client once, and none of what names none', () => {
  const rows = [{ subject: 'one' }, { subject: null }, { subject: 'two' }, { subject: 'one' }, {}];
  expect(subjectsIn(rows)).toEqual(['one', 'two']);
});
