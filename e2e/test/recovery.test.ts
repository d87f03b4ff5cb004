/** Recovery of an external database: the behaviour of the service when its database returns to an earlier moment. */
import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { login, operation, type Visit } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { crashPolicy, markedCategory } from '../harness/bank.ts';
import type { SeenEvent } from '../harness/management.ts';
import type { StandalonePostgres } from '../harness/postgres.ts';
import { archiveAll, copyBase, dataOf, momentOf, recoverTo, startArchivingPostgres } from '../harness/recovery.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { startService } from '../harness/service.ts';
import { type TemporaryHome, temporaryHome } from '../harness/temporary-home.ts';

const visit = { client: 'known-client', session: 'known-1' };

describe('a database that returns to an earlier moment', () => {
  let home: TemporaryHome;
  let archive: string;
  let postgres: StandalonePostgres;
  let scene: Scene;
  const env = (): Record<string, string> => ({ ...secrets, DATABASE_URL: postgres.databaseUrl });
  const secrets = { RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };

  beforeEach(async () => {
    home = await temporaryHome('recovery');
    archive = join(home.path, 'archive');
    postgres = await startArchivingPostgres(home.path, archive);
    scene = await openScene({ policy: crashPolicy, database: 'external', env: env() });
    return async () => {
      await scene.close();
      await postgres.stop();
      await home.remove();
    };
  }, 60_000);

  async function mark(reference: string, of: Visit = visit): Promise<string> {
    const { id } = await scene.tell('operation', operation({ ...of, category: markedCategory, reference }));
    return id ?? '';
  }
  const decided = (id: string): Promise<SeenEvent> =>
    eventually(`${id} is decided`, 20_000, async () => {
      const event = await scene.management.event(id);
      return event?.status === 'decided' ? event : undefined;
    });
  const sent = (reference: string): readonly string[] =>
    scene.receiver.received.filter(({ body }) => body.includes(reference)).map(({ webhookId }) => webhookId);
  const arrives = (reference: string): Promise<unknown> =>
    eventually(`${reference} arrives`, 20_000, () => (sent(reference).length > 0 ? true : undefined));
  const command = (...args: string[]): Promise<CommandResult> =>
    runCommand([...args, '--config', scene.options.configFile ?? ''], env());

  it('a restarted service decides and sends the recovered data once, and reuses no id', async () => {
    const elsewhere = join(home.path, 'elsewhere');
    await scene.tell('login', login(visit));
    await copyBase(home.path, postgres, elsewhere);
    const before = await mark('after-the-base');
    await arrives('after-the-base');
    expect(await command('deliveries', 'pause')).toMatchObject({ code: 0 });
    const waits = await mark('not-sent-yet');
    await decided(waits);
    const events = await scene.management.events();
    const moment = await momentOf(postgres);
    expect(await command('deliveries', 'resume')).toMatchObject({ code: 0 });
    const lost = await Promise.all(['lost-1', 'lost-2', 'lost-3'].map((reference) => mark(reference)));
    for (const id of lost) await decided(id);
    await arrives('not-sent-yet');
    await archiveAll(postgres);

    await scene.service.stop();
    await postgres.stop();
    postgres = await recoverTo(elsewhere, archive, moment);
    const restored = await startService({ ...scene.options, env: env() });
    try {
      expect(await scene.management.events()).toEqual(events);
      expect(await decided(before)).toMatchObject({ fired: [900] });
      expect(await command('deliveries', 'resume')).toMatchObject({ code: 0 });
      const after = await Promise.all(['after-1', 'after-2', 'after-3'].map((reference) => mark(reference)));
      for (const id of after) expect(await decided(id)).toMatchObject({ matched: true, fired: [900] });
      await arrives('after-3');
      expect(epochOf(after[0])).toBeGreaterThan(epochOf(waits));
      expect(new Set([...lost, ...after]).size).toBe(6);

      await eventually('it is sent again', 10_000, () => (sent('not-sent-yet').length === 2 ? true : undefined));
      expect(new Set(sent('not-sent-yet')).size).toBe(1);
      expect(sent('after-the-base')).toHaveLength(1);
      const verified = await command('replay', '--verify');
      expect(verified).toMatchObject({ code: 0 });
      expect(restored.output()).toContain('the database was failed over, recovered or restored');
      const doctor = await command('doctor');
      expect(doctor).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('the database failed over, was recovered or was restored'),
      });
    } finally {
      await restored.stop();
    }
  });

  it('a running service continues on a copy without the last events, and uses no key that only those had', async () => {
    const elsewhere = join(home.path, 'elsewhere');
    await scene.tell('login', login(visit));
    await copyBase(home.path, postgres, elsewhere);
    const moment = await momentOf(postgres);
    const stranger = { client: 'met-and-lost', session: 'lost-1' };
    await scene.tell('login', login(stranger));
    await decided(await mark('lost', stranger));
    await archiveAll(postgres);

    await postgres.stop();
    await rename(dataOf(home.path), join(home.path, 'primary'));
    await rename(dataOf(elsewhere), dataOf(home.path));
    postgres = await recoverTo(home.path, archive, moment);
    const again = await eventually('events are taken again', 20_000, async () => {
      const { id } = await scene.tell('login', login(stranger));
      return id;
    });
    const after = await mark('after', stranger);
    expect(await decided(after)).toMatchObject({ matched: true, fired: [900] });
    await arrives('after');
    // Another process knows only the keys of the database.
    await scene.service.stop();
    await scene.start();
    expect(await decided(again)).toMatchObject({ client: stranger.client });
    expect(await command('replay', '--verify')).toMatchObject({ code: 0 });
  });
});

function epochOf(eventId: string | undefined): number {
  return Number(eventId?.split('_')[1]);
}
