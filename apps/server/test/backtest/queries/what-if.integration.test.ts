import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedIn } from '../../access/accounts/support/browser.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from '../../api/support/management-kit.ts';
import { applyPolicy } from '../../../src/policies/policy-store.ts';

let kit: ManagementKit;
let small: string;
let entered: string;

const rules = `rules:
  - reason: 101
    name: Large transfer
    on: [operation]
    when: order.amount > 10000
    then: { action: 2, message: "Closed: {{order.amount}} to {{accountTo.accountNumber}}" }
  - reason: 102
    name: Third payment of the client
    on: [operation]
    when: client.operations == 3
    then: { action: 4, message: Look at it }
  - reason: 103
    name: No address
    on: [login]
    when: '!ip.valid'
    then: { action: 2, message: Closed }
`;

beforeAll(async () => {
  kit = await managementKit();
  const files = [{ path: 'rules.yaml', text: rules }];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  const host = kit.startHost();
  await host.ready;
  entered = await kit.send('login', login('ana'));
  small = await kit.send('operation', payment('ana'));
  await kit.send('operation', payment('ana'));
  await kit.settled();
  await host.stop(); // with its last checkpoint
});

afterAll(() => kit.close());

interface Supposed {
  readonly outcome: string;
  readonly matched?: boolean;
  readonly rules: readonly { readonly reason: number; readonly facts: Readonly<Record<string, string>> }[];
  readonly unmatched: readonly {
    readonly reason: number;
    readonly conditions: readonly { readonly holds?: boolean }[];
  }[];
  readonly actions: readonly { readonly reason: number; readonly message: string; readonly state: string }[];
}

const suppose = (event: string, edits: object) => kit.at('POST', `events/${event}/what-if`, { body: { edits } });
const reasons = async (event: string, edits: object): Promise<readonly number[]> =>
  (await suppose(event, edits)).json<Supposed>().rules.map(({ reason }) => reason);

describe('an event with other values', () => {
  it('is decided on the present state: this would be the third payment', async () => {
    const supposed: Supposed = (await suppose(small, {})).json();
    expect(supposed).toMatchObject({ outcome: 'decided', matched: true });
    expect(supposed.rules).toMatchObject([{ reason: 102, facts: { 'client.operations': '3' } }]);
  });

  it('keeps every digit of an amount, like ingest', async () => {
    const response = await kit.at('POST', `events/${small}/what-if`, {
      body: '{"edits":{"order":{"amount":123456789012345678.123456}}}',
    });
    const { rules: fired, actions } = response.json<Supposed>();
    expect(fired[0]).toMatchObject({ reason: 101, facts: { 'order.amount': '123456789012345678.123456' } });
    expect(actions[0]!.message).toContain('123456789012345678.123456');
  });

  it('explains part by part why the other rules do not fire', async () => {
    const { unmatched } = (await suppose(small, {})).json<Supposed>();
    expect(unmatched).toMatchObject([
      {
        reason: 101,
        conditions: [{ text: 'order.amount > 10000', holds: false, values: { 'order.amount': expect.any(String) } }],
      },
    ]);
    const { unmatched: ofNobody } = (await suppose(small, { account: null })).json<Supposed>();
    expect(ofNobody.map(({ reason }) => reason)).toEqual([101, 102]);
    // The fact that it reads is missing.
    expect(ofNobody[1]!.conditions[0]).not.toHaveProperty('holds');
  });

  it('fires the rules for its new values, with the message that would be sent', async () => {
    const supposed: Supposed = (await suppose(small, { order: { amount: 25_000 } })).json();
    expect(supposed.rules.map(({ reason }) => reason)).toEqual([101, 102]);
    expect(supposed.actions[0]).toMatchObject({ reason: 101, message: 'Closed: 25000 to 42', state: 'due' });
  });

  it('may belong to another client, an unknown session, or no client', async () => {
    expect(await reasons(small, { account: { client: 'never heard of' } })).toEqual([]);
    expect((await suppose(small, { account: { session: 'other' } })).json()).toMatchObject({ matched: false });
    expect(await reasons(small, { account: null })).toEqual([]);
  });

  it('may be a login from elsewhere', async () => {
    expect(await reasons(entered, {})).toEqual([]);
    expect(await reasons(entered, { publicIp: 'nowhere' })).toEqual([103]);
  });

  it('changes nothing, however often it is requested', async () => {
    const counts = () =>
      kit.pool.query(
        `select (select count(*) from event) as events, (select count(*) from action) as actions,
                (select md5(string_agg(bytes::text, '' order by segment, block)) from state_block) as states`,
      );
    const before = (await counts()).rows;
    for (let i = 0; i < 3; i++) expect(await reasons(small, { order: { amount: 25_000 } })).toEqual([101, 102]);
    expect((await counts()).rows).toEqual(before);
  });

  it('is refused when ingest would refuse it', async () => {
    const response = await suppose(small, { order: { amount: 'much' } });
    expect(problemOf(response)).toMatchObject({ code: 'event.invalid', errors: [{ pointer: '/order/amount' }] });
    expect(problemOf(await suppose('evt_1_999', {})).code).toBe('thing.unknown');
  });

  it('is masked for people', async () => {
    const viewer = await loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] });
    const path = `/workspaces/${kit.workspace.id}/events/${small}/what-if`;
    const edits = { order: { amount: 25_000 } };
    expect((await viewer.call('POST', path, { body: { edits } })).body).not.toContain('to 42');
    const shown = await viewer.call('POST', path, { body: { edits, show: true } });
    expect(problemOf(shown).code).toBe('right.missing');
  });
});
