import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OwnerConnection } from '../../src/decide/owner-connection.ts';
import { releasePartition, takePartition } from '../../src/decide/ownership.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;
let other: Client;
let owner: OwnerConnection;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  other = new Client(home.connection);
  await other.connect();
  owner = new OwnerConnection(home.connection);
  await owner.open();
});
afterEach(async () => {
  await owner.end();
  await other.end();
  await scene.close();
  await home.close();
});

const take = (workspace: Workspace): Promise<unknown> =>
  owner.alone((client) => takePartition(client, workspace, 'test'));
/** The lock connection in PostgreSQL's statistics. */
const ofOwner = `application_name = 'ringfence owner' and datname = current_database()`;
const waiting = async (): Promise<number | null> =>
  (await other.query(`select 1 from pg_stat_activity where ${ofOwner} and wait_event_type = 'Lock'`)).rowCount;
const held = async (): Promise<number | null> =>
  (
    await other.query(`select 1 from pg_locks where locktype = 'advisory' and objsubid = 1
      and pid in (select pid from pg_stat_activity where ${ofOwner})`)
  ).rowCount;

it('releases a partition while taking another one fails', async () => {
  const first = await scene.addWorkspace();
  const second = await scene.addWorkspace();
  await take(second);
  await owner.alone((client) => releasePartition(client, second.id));
  await take(first);
  expect(await held()).toBe(1);

  // A statement of the previous owner still locks the row of the second one.
  await other.query('begin');
  await other.query('select 1 from partition_owner where workspace_id = $1 for update', [second.id]);
  const taken = take(second);
  await expect.poll(waiting, { interval: 20 }).toBe(1);
  await owner.alone((client) => releasePartition(client, first.id));
  expect(await taken).toBeUndefined();
  expect(await held()).toBe(0);
  await other.query('rollback');
});

it('rejects work once it is lost, with the first reason reported', async () => {
  owner.giveUp(new Error('the first'));
  owner.giveUp(new Error('the second'));
  await expect(owner.alone((client) => client.query('select 1'))).rejects.toThrow('the first');
});
