/** After the erasure of a client, none of the client's data can be read anywhere; all other clients are unchanged. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { login, operation } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { openScene, type Scene } from '../harness/scene.ts';

const policy = {
  'policy.yaml': `rules:
  - reason: 503
    name: Every operation is answered
    on: [operation]
    when: order.amount > 1
    then: { action: 3, message: "Dear {{account.client}}" }
    mode: live
`,
};
const gone = { client: 'gone-client', session: 'gone-1' };
const stays = { client: 'staying-client', session: 'stays-1' };

describe('erasing a client', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ policy });
    for (const visit of [gone, stays]) {
      await scene.tell('login', login(visit));
      await scene.tell('operation', operation({ ...visit, category: 'transfer', reference: `${visit.session}-a` }));
    }
    await eventually('both were answered', 10_000, async () =>
      (await scene.management.actions({ state: 'executed' })).length === 2 ? true : undefined,
    );
  });
  afterAll(() => scene.close());

  it('leaves no event and no action that names the client, also after a restart', async () => {
    expect(await scene.management.events({ client: gone.client })).toHaveLength(2);
    expect(await scene.management.post('clients/erase', { client: gone.client })).toBe(200);

    for (const round of ['at once', 'after a restart']) {
      expect(await scene.management.events({ client: gone.client }), round).toEqual([]);
      const shown = JSON.stringify([await scene.management.events(), await scene.management.actions()]);
      expect(shown, round).not.toContain(gone.client);
      expect(shown, round).toContain(stays.client);
      if (round === 'at once') {
        await scene.service.stop();
        await scene.start();
      }
    }
  });

  it('treats the same client as a new one afterwards', async () => {
    expect(await scene.tell('login', login({ ...gone, session: 'gone-2' }))).toMatchObject({ status: 200 });
    const seen = await eventually('the new login is decided', 10_000, async () => {
      const events = await scene.management.events({ client: gone.client });
      return events.length > 0 ? events : undefined;
    });
    expect(seen).toHaveLength(1);
  });
});
