/** A rolling upgrade: two services on one database, stopped and started one after the other under load. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBrokenPromises, isAllDone, isKept } from '../crash/findings.ts';
import { Bank, crashPolicy } from '../harness/bank.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { Ledger } from '../harness/ledger.ts';
import { Management } from '../harness/management.ts';
import { connectTo, startPostgres } from '../harness/postgres.ts';
import { licenseKey } from '../harness/scene.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

describe('two services on one database', () => {
  it('are restarted one after the other without a lost or a doubled event', async () => {
    const home = await temporaryHome('two');
    const receiver = await startWebhookReceiver();
    const postgres = await startPostgres(home.path);
    const env = { DATABASE_URL: postgres.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
    const options = await Promise.all(['one', 'two'].map((name) => install(join(home.path, name), receiver.url, env)));
    const services: Service[] = [];
    for (const option of options) services.push(await startService(option));
    onTestFinished(async () => {
      for (const service of services) await service.stop();
      await postgres.stop();
      await receiver.close();
      await home.remove();
    });

    const ledger = new Ledger();
    const urls = services.map(({ url }) => url);
    const bank = new Bank({ urls, licenseKey, ledger, random: seededRandom(2), ratePerSecond: 200, run: 'rolling' });
    for (const [index, option] of options.entries()) {
      const before = ledger.acknowledged.length;
      await eventually('load is under way', 10_000, () =>
        ledger.acknowledged.length > before + 300 ? true : undefined,
      );
      expect(await services[index]?.stop()).toMatchObject({ code: 0 });
      services[index] = await startService(option);
    }
    await bank.stop(20_000);

    const management = new Management(services[0]?.managementUrl ?? '');
    const database = await connectTo(postgres.databaseUrl);
    await eventually('all is decided and delivered', 40_000, () => isAllDone(database, ledger));
    const findings = await findBrokenPromises({ ledger, receiver, database, management });
    await database.end();
    expect(findings.broken).toEqual({
      lost: [],
      lostByName: [],
      undecided: [],
      decidedTwice: [],
      actionRows: [],
      executions: [],
      refusals: [],
    });
    expect(isKept(findings)).toBe(true);
    expect(findings.acknowledged).toBeGreaterThan(600);
  });
});

async function install(
  home: string,
  webhookUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<ServiceOptions> {
  await mkdir(home, { recursive: true });
  const [port, managementPort] = [await freePort(), await freePort()];
  const configFile = await writeInstallation({
    home,
    database: 'external',
    port,
    managementPort,
    licenseKey,
    webhookUrl,
    policy: crashPolicy,
  });
  return { configFile, port, managementPort, env };
}
