/** Labels and backfills from history over the management API. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
});
afterAll(() => kit.close());

interface Printed {
  readonly event: string;
  readonly label: string;
  readonly author: string;
  readonly note?: string;
}

it('labels are stored, listed for the workspace and for an event, and unknown events are reported', async () => {
  const id = await kit.send('operation', payment('ana'));
  await kit.settled();
  const labels = [
    { event: id, label: 'fraud', note: 'chargeback' },
    { event: 'evt_1_99999', label: 'fraud' },
    { event: id, label: 'legitimate' },
  ];
  const told = await kit.at('POST', 'labels', { body: { labels } });
  expect([told.statusCode, told.json()]).toEqual([
    202,
    {
      accepted: 2,
      unknown: 1,
      items: [
        { state: 'accepted', events: [id] },
        { state: 'unknown', reason: 'there is no such event in this workspace' },
        { state: 'accepted', events: [id] },
      ],
    },
  ]);
  await kit.settled();
  const first = await kit.get<{ items: Printed[]; next?: string }>('labels?limit=1');
  expect(first.items).toMatchObject([{ event: id, label: 'legitimate', author: 'admin token' }]);
  const second = await kit.get<{ items: Printed[]; next?: string }>(`labels?limit=1&cursor=${first.next}`);
  expect(second).toMatchObject({ items: [{ label: 'fraud', note: 'chargeback' }] });
  expect(second.next).toBeUndefined();
  const ofEvent = await kit.get<{ items: Printed[] }>(`events/${id}/labels`);
  expect(ofEvent.items.map(({ label }) => label)).toEqual(['legitimate', 'fraud']);
});

it.each([
  [{ labels: [] }],
  [{ labels: [{ event: 'evt_1_2', label: 'maybe' }] }],
  [{ labels: [{ client: 'ana', label: 'fraud' }] }],
  [{ labels: [{ event: 'evt_1_2', client: 'ana', reference: 'x', label: 'fraud' }] }],
])('%j is refused as a whole', async (body) => {
  const refused = await kit.at('POST', 'labels', { body });
  expect(refused.statusCode).toBe(422);
  expect(problemOf(refused)).toMatchObject({ code: 'request.invalid' });
});

it('a policy that starts with history reports its progress, and an invalid history is refused', async () => {
  const text = `features:
  clientCount: { count: true, by: client.id, over: 90d }
rules:
  - { reason: 800, name: counted, when: clientCount >= 2, then: { action: 3, message: hello } }
`;
  const body = { files: [{ path: 'rules.yaml', text }], author: 'mara' };
  const since = await kit.at('POST', 'policies', { body: { ...body, warmFrom: { since: 'yesterday' } } });
  expect([since.statusCode, problemOf(since)]).toMatchObject([422, { code: 'request.invalid' }]);
  const unknown = await kit.at('POST', 'policies', { body: { ...body, warmFrom: { history: ['none'] } } });
  expect(unknown.statusCode).toBe(404);

  const applied = await kit.at('POST', 'policies', { body: { ...body, warmFrom: {} } });
  expect(applied.json()).toMatchObject({ changed: true, folding: true });
  await expect
    .poll(async () => (await kit.get<{ items: { state: string }[] }>('policy-starts')).items)
    .toMatchObject([{ version: 2, state: 'switched' }]);
  const id = await kit.send('operation', payment('ana'));
  await kit.settled();
  expect(await kit.get(`events/${id}`)).toMatchObject({ fired: [800], policyVersion: 2 });
});
