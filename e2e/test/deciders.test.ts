/** A process with two deciding threads, which share its workspaces. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { crashPolicy } from '../harness/bank.ts';
import { eventually } from '../harness/eventually.ts';
import { login, operation } from '../harness/event-bodies.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { licenseKey, openScene, stateOf } from '../harness/scene.ts';

const secondKey = `${licenseKey}-second`;

it('decides each workspace in one of its threads, and starts again with as many as are configured', async () => {
  const scene = await openScene({ policy: crashPolicy });
  onTestFinished(() => scene.close());
  await scene.service.stop();
  const { configFile } = scene.options;
  const config = await readFile(configFile!, 'utf8');
  const [head = '', workspace = ''] = config.split('workspaces:\n');
  const second = workspace.replace('name: bank', 'name: second').replace(licenseKey, secondKey);
  await writeFile(configFile!, `${head}deciders: 2\nworkspaces:\n${workspace}${second}`);
  await scene.start();

  const database = await connectToEmbedded(stateOf(scene));
  onTestFinished(() => database.end());
  const owners = async (): Promise<readonly string[]> => {
    const found = await database.query<{ process: string }>(
      'select process from partition_owner where epoch > 0 order by process',
    );
    return found.rows.map(({ process }) => process);
  };
  const shared = await eventually('each thread has a workspace', 30_000, async () => {
    const [one, two] = await owners();
    return two === `${one}/2` ? [one, two] : undefined;
  });
  expect(shared).toHaveLength(2);

  for (const key of [licenseKey, secondKey]) {
    const visit = { client: 'ana', session: `s-${key}` };
    expect(await decided(key, 'login', login(visit))).toMatchObject({ status: 'decided' });
    const payment = operation({ ...visit, category: 'transfer', reference: 'R-1' });
    expect(await decided(key, 'operation', payment)).toMatchObject({ status: 'decided', session: { matched: true } });
  }
  expect(await scene.service.stop()).toMatchObject({ code: 0 });
  await scene.start();

  async function decided(key: string, kind: string, body: object): Promise<unknown> {
    const response = await fetch(`${scene.service.url}/api/v5/analytics/app/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=30' },
      body: JSON.stringify(body),
    });
    return response.json();
  }
});
