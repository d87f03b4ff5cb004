import type * as contract from '@ringfence/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ActionRequest, actions, type ActionResponse, parseAction } from '../../src/webhook/action.ts';
import { action } from './signed-request.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

it('has the shape that the service sends', () => {
  expectTypeOf<ActionRequest>().toEqualTypeOf<contract.ActionRequest>();
  expectTypeOf<ActionResponse>().toEqualTypeOf<contract.ActionResponse>();
});

it('has the numbers of the interface', () => {
  expect(actions).toEqual({ blockUser: 1, closeSession: 2, sendEmail: 3, sendSms: 4, sendEmailAndSms: 5 });
});

it('is parsed with its id', () => {
  const withRsa = { ...action, clientRSA: 'abc=' };
  expect(parseAction('act_1', bytes(withRsa))).toEqual({ ...withRsa, id: 'act_1', isTest: false });
  expect(parseAction('act_1', bytes(action))).not.toHaveProperty('clientRSA');
});

it('ignores unknown members, even one called id', () => {
  expect(parseAction('act_1', bytes({ ...action, id: 'forged', more: 1 }))).toEqual({
    ...action,
    id: 'act_1',
    isTest: false,
  });
});

it('is a test if its id has the prefix', () => {
  expect(parseAction('test_1', bytes(action))).toMatchObject({ id: 'test_1', isTest: true });
});

describe('is refused', () => {
  it.each(['action', 'channel', 'date', 'message', 'reason', 'session', 'client'])('without %s', (name) => {
    expect(parseAction('act_1', bytes({ ...action, [name]: undefined }))).toEqual({ wrong: name });
  });

  it.each([
    ['action', '2'],
    ['action', 1.5],
    ['reason', null],
    ['message', 7],
    ['session', undefined],
    ['clientRSA', 7],
    ['clientRSA', null],
  ])('with %s %j', (name, value) => {
    expect(parseAction('act_1', bytes({ ...action, [name]: value }))).toEqual({ wrong: name });
  });

  it.each(['', 'null', '[]', '7', '{"action":', '{"__proto__":{"action":2}}'])('as %j', (text) => {
    expect(parseAction('act_1', Buffer.from(text))).toHaveProperty('wrong');
  });

  it('as text that is not UTF-8', () => {
    const latin = Buffer.from(JSON.stringify({ ...action, message: 'Se cerr\u00f3 tu sesi\u00f3n' }), 'latin1');
    expect(parseAction('act_1', latin)).toEqual({ wrong: 'body' });
  });
});
