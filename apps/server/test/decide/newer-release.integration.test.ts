/** How a release handles stored state in a form that it cannot read: of a newer release, or from before the first. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate, startTheNewerRelease } from '../../src/platform/database/migrate.ts';
import { PostgresEntityStates } from '../../src/decide/entity-states/postgres-entity-states.ts';
import { migrations } from '../../src/migrations.ts';
import type { OperatorError } from '../../src/platform/observability/operator-error.ts';
import { release } from '../../src/platform/release.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene, silentReport } from './support.ts';

let home: Installation;
let scene: Scene;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
});
afterEach(async () => {
  await scene.close();
  await home.close();
});

/** Stores engine globals with the version number of another release. */
async function leaveCheckpointOfVersion(version: number): Promise<void> {
  const host = scene.startHost();
  await scene.settled();
  await host.stop();
  const states = new PostgresEntityStates(scene.workspace, 'checkpoint', scene.subjects);
  const { rows } = await scene.pool.query<{ nextOffset: number; state: Buffer }>(
    'select next_offset as "nextOffset", state from checkpoint',
  );
  const globals = states.openState(rows[0]!);
  globals[0] = version;
  await scene.pool.query('update checkpoint set state = $1', [states.sealState(globals, rows[0]!.nextOffset)]);
}

function startOlder(): { readonly outdated: OperatorError[]; readonly said: string[] } {
  const outdated: OperatorError[] = [];
  const said: string[] = [];
  scene.startHost({
    report: {
      ...silentReport,
      outdated: (error) => outdated.push(error),
      ready: (_, where) => said.at(-1) !== where && said.push(where),
    },
  });
  return { outdated, said };
}

it('reports it with the name of the newer release, so that its process ends', async () => {
  await leaveCheckpointOfVersion(99);
  await migrate(home.connection, [...migrations, { name: '0099-newer', sql: 'select 1' }]);
  const { outdated, said } = startOlder();
  await expect
    .poll(() => outdated[0])
    .toMatchObject({
      name: 'OperatorError',
      message: `A newer release was on this database (0099-newer of release ${release}) and wrote what this release, ${release}, cannot read: a snapshot of version 99 was found, and this release reads version 9.`,
      mend: startTheNewerRelease,
    });
  expect(said).not.toContain('here');
});

it.each([6, 99])(
  'version %i without a newer release is damage of one workspace: others are decided',
  async (version) => {
    await leaveCheckpointOfVersion(version);
    const { outdated, said } = startOlder();
    await expect.poll(() => said.at(-1)).toBe('failing');
    expect(outdated).toEqual([]);
  },
);
