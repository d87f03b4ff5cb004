/** Two clients log in under the same session id, one after the other; what remains when one is erased. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PostgresEntityStates } from '../../src/decide/entity-states/postgres-entity-states.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';
import { storedStates } from '../support/stored-states.ts';

let home: Installation;
let scene: Scene;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  // Each in a separate run: the second writes the session id without having it in memory.
  await logIn('ana', 'shared');
  await decide();
  await logIn('bob', 'shared');
  await logIn('cleo', 'own');
  await decide();
});
afterEach(async () => {
  await scene.close();
  await home.close();
});

function logIn(user: string, session: string): Promise<string> {
  return scene.send('login', { channelId: 1, user, session, publicIp: '203.0.113.7', data: 'blob' });
}

/** Decides everything, and leaves nothing in memory. */
async function decide(): Promise<void> {
  const host = scene.startHost();
  await host.ready;
  await scene.settled();
  await host.stop();
}

async function erase(client: string): Promise<void> {
  expect(await eraseClient(scene, scene.workspace, client)).toBeDefined();
  await decide();
}

/** The session mismatch of an operation of Cleo's that names the session of the others. */
async function mismatchOfCleo(): Promise<string | null> {
  const id = await scene.send('operation', {
    channelId: 1,
    timestamp: new Date().toISOString(),
    transaction: { category: 'transfer', reference: 'one' },
    account: { client: 'cleo', session: 'shared' },
    order: { amount: 10.5, currency: 'MXN' },
    accountTo: { bank: 'B1', accountNumber: '42' },
  });
  await decide();
  const { rows } = await scene.pool.query<{ mismatch: string | null }>(
    `select mismatch from event where "offset" = $1`,
    [Number(id.split('_')[2])],
  );
  return rows[0]!.mismatch;
}

/** Number of entities stored for a client. */
async function storedUnder(client: string): Promise<number> {
  return (await storedStates(scene)).filter(({ subject }) => subject === client).length;
}

/** The stored entity of the session id. */
async function storedHolder(): Promise<string | undefined> {
  const states = new PostgresEntityStates(scene.workspace, 'checkpoint', scene.subjects);
  const [found] = await states.load(['s/shared'], scene.pool);
  return found?.bytes && Buffer.from(found.bytes).toString('latin1');
}

async function subjectOf(client: string): Promise<string> {
  return (await scene.subjects.find(scene.workspace, client))!;
}

it('the session belongs to another client while no client is erased', async () => {
  expect(await storedHolder()).toContain(await subjectOf('bob'));
  expect(await mismatchOfCleo()).toBe('otherClient');
});

it('the session still belongs to another client when only its former holder is erased', async () => {
  const [ana, bob] = [await subjectOf('ana'), await subjectOf('bob')];
  const ofBob = await storedUnder(bob);
  await erase('ana');
  expect(await storedUnder(ana)).toBe(0);
  expect(await storedUnder(bob)).toBe(ofBob);
  expect(await storedHolder()).toContain(bob);
  expect(await mismatchOfCleo()).toBe('otherClient');
});

it('the session has no holder when its holder is erased, and nothing of that client remains', async () => {
  const [ana, bob] = [await subjectOf('ana'), await subjectOf('bob')];
  const ofAna = await storedUnder(ana);
  await erase('bob');
  expect(await storedUnder(bob)).toBe(0);
  expect(await storedUnder(ana)).toBe(ofAna);
  expect(await storedHolder()).toBeUndefined();
  expect(await mismatchOfCleo()).toBe('noLogin');
});
