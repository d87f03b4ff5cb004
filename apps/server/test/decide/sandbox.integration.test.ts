/** What an operation of a development workspace asks for by `ringfence.test`, as its actions are written. */
import { PostgresOutbox } from '@ringfence/delivery';
import { expect, it } from 'vitest';
import { makeInstallation } from '../support/installation.ts';
import { makeScene } from './support.ts';

it('is one action each; the one that is to expire expires before anybody can send it', async () => {
  const home = await makeInstallation();
  const scene = await makeScene(home, { environment: 'development' });
  await scene.startHost().ready;
  for (const test of ['action:2', 'fail:timeout', 'expire', 'action:99']) {
    await scene.send('operation', {
      channelId: 1,
      timestamp: new Date().toISOString(),
      transaction: { category: 'transfer', reference: test, details: { 'ringfence.test': test } },
      account: { client: 'ana' },
    });
  }
  await scene.settled();
  await new PostgresOutbox(scene.pool).tidy(Date.now() + 1_000);
  const found = await scene.pool.query(`select reason, action, state from action where reason > 9900000 order by seq`);
  expect(found.rows).toEqual([
    { reason: 9_900_001, action: 2, state: 'due' },
    { reason: 9_900_002, action: 3, state: 'due' },
    { reason: 9_900_003, action: 3, state: 'expired' },
  ]);
  await scene.close();
  await home.close();
});
