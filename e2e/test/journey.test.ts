/** The life of one event: reported, decided, action requested and executed, and its consequences. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { login, operation } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { licenseKey, openScene, type Scene } from '../harness/scene.ts';

const policy = {
  'policy.yaml': `rules:
  - reason: 501
    name: A suspicious operation closes its session
    on: [operation]
    when: transaction.category == "suspicious"
    then: { action: 2, message: "Closed after {{transaction.category}} of {{order.amount}} {{order.currency}}" }
    mode: live
`,
};
const visit = { client: 'ana@example.org', session: 'ana-1' };

describe('from an event to an action', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ policy });
  });
  afterAll(() => scene.close());

  it('asks the bank once to close the session, and learns that it was closed', async () => {
    expect(await scene.tell('login', login(visit))).toMatchObject({ status: 200 });
    const plain = await scene.tell('operation', operation({ ...visit, category: 'transfer', reference: 'r-1' }));
    const told = await scene.tell('operation', operation({ ...visit, category: 'suspicious', reference: 'r-2' }));

    const action = await eventually('the webhook arrives', 5_000, () => scene.receiver.received[0]);
    expect(action.headers.authorization).toBe(`Bearer ${licenseKey}`);
    expect(action.headers['webhook-id']).toMatch(/^act_/);
    expect(action.body).not.toContain(visit.client);
    expect(JSON.parse(action.body)).toMatchObject({
      action: 2,
      channel: 1,
      reason: 501,
      session: visit.session,
      client: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: 'Closed after suspicious of 120.5 MXN',
    });

    const [executed] = await eventually('the action is executed', 5_000, async () => {
      const actions = await scene.management.actions();
      return actions.some(({ state }) => state === 'executed') ? actions : undefined;
    });
    expect(executed).toMatchObject({ id: action.webhookId, event: told.id, attempts: 1 });
    expect(await scene.management.event(plain.id ?? '')).toMatchObject({ status: 'decided', matched: true, fired: [] });
    expect(await scene.management.event(told.id ?? '')).toMatchObject({
      status: 'decided',
      matched: true,
      fired: [501],
    });

    const after = await eventually('an operation finds the session closed', 15_000, async () => {
      const late = await scene.tell('operation', operation({ ...visit, category: 'transfer', reference: 'r-3' }));
      const seen = await eventually('it is decided', 10_000, () => decided(scene, late.id));
      return seen.mismatch === 'closed' ? seen : undefined;
    });
    expect(after).toMatchObject({ matched: false, mismatch: 'closed' });
    expect(scene.receiver.executed.size).toBe(1);
  });
});

async function decided(scene: Scene, id: string | undefined): Promise<{ readonly mismatch?: string } | undefined> {
  const event = await scene.management.event(id ?? '');
  return event?.status === 'decided' ? event : undefined;
}
