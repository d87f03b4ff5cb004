/** Disaster recovery: a backup of a running service, restored into an empty home, continues to decide. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../harness/command.ts';
import { login, operation } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { openScene, type Scene, stateOf } from '../harness/scene.ts';
import { startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

const policy = {
  'policy.yaml': `actions:
  6: Backup drill
features:
  amountBefore: { sum: order.amount, by: account.client, over: 24h }
rules:
  - reason: 504
    name: More than a hundred in a day
    on: [operation]
    when: amountBefore > 100
    then: { action: 6, message: "{{transaction.reference}}" }
    mode: live
`,
};
const visit = { client: 'backed-up-client', session: 'backup-1' };

describe('backup and restore', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ policy });
    await scene.tell('login', login(visit));
    await scene.tell('operation', operation({ ...visit, category: 'transfer', reference: 'before', amount: 60 }));
    await eventually('both are decided', 10_000, async () =>
      (await scene.management.events({ status: 'decided' })).length === 2 ? true : undefined,
    );
  });
  afterAll(() => scene.close());

  it('restores every event and action, and the engine state, under a new epoch', async () => {
    const elsewhere = await temporaryHome('restored');
    onTestFinished(() => elsewhere.remove());
    const file = join(elsewhere.path, 'backup.bin');
    const { configFile = '' } = scene.options;
    expect(await runCommand(['backup', file, '--config', configFile])).toMatchObject({ code: 0 });
    const eventsBefore = await scene.management.events();

    // The disaster: only the backup and the secrets are left.
    await scene.service.stop();
    const home = join(elsewhere.path, 'state');
    await cp(join(stateOf(scene), 'secrets'), join(home, 'secrets'), { recursive: true });
    expect(await runCommand(['restore', file, '--config', configFile, '--home', home])).toMatchObject({ code: 0 });

    const restored = await startService({ ...scene.options, env: { RINGFENCE_HOME: home } });
    onTestFinished(async () => void (await restored.stop()));
    expect(await scene.management.events()).toEqual(eventsBefore);

    const after = await scene.tell(
      'operation',
      operation({ ...visit, category: 'transfer', reference: 'after', amount: 60 }),
    );
    const decided = await eventually('it is decided', 10_000, async () => {
      const event = await scene.management.event(after.id ?? '');
      return event?.status === 'decided' ? event : undefined;
    });
    expect(decided).toMatchObject({ matched: true, fired: [504] });
    expect(epochOf(after.id)).toBeGreaterThan(epochOf(eventsBefore[0]?.id));
    await eventually('the webhook arrives', 10_000, () =>
      [...scene.receiver.executed.values()].find(({ body }) => body.includes('"after"')),
    );
  });
});

function epochOf(eventId: string | undefined): number {
  return Number(eventId?.split('_')[1]);
}
