/** A workspace moves to another database under load, between two services, and back. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { findBrokenPromises, isAllDone } from '../crash/findings.ts';
import { Bank, crashPolicy } from '../harness/bank.ts';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { type Acknowledged, Ledger } from '../harness/ledger.ts';
import { Management } from '../harness/management.ts';
import { connectTo, startPostgres } from '../harness/postgres.ts';
import { licenseKey } from '../harness/scene.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { type Service, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

const ratePerSecond = 60;
/** On the busiest machine; mostly it takes three seconds. */
const commandMsMax = 240_000;
const testMsMax = 600_000;
/** The bar: what a bank notices of a move. */
const pauseMsMax = 5_000;

it(
  'loses and doubles nothing, and pauses for less than five seconds',
  async () => {
    const home = await temporaryHome('move');
    const receiver = await startWebhookReceiver();
    const server = await startPostgres(join(home.path, 'server'));
    const admin = await connectTo(server.databaseUrl);
    await admin.query('create database north');
    await admin.end();
    const env = {
      DATABASE_URL: server.databaseUrl,
      NORTH_DATABASE_URL: northOf(server.databaseUrl),
      RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64'),
    };
    const services: Service[] = [];
    let configFile = '';
    for (const name of ['one', 'two']) {
      const [port, managementPort] = [await freePort(), await freePort()];
      configFile = await writeInstallation({
        home: join(home.path, name),
        database: 'external',
        port,
        managementPort,
        licenseKey,
        webhookUrl: receiver.url,
        policy: crashPolicy,
        north: { licenseKey: `north-license-key-${'3'.repeat(20)}` },
      });
      services.push(await startService({ configFile, port, managementPort, env }));
    }
    onTestFinished(async () => {
      for (const service of services) await service.stop();
      await server.stop();
      await receiver.close();
      await home.remove();
    });

    const ledger = new Ledger();
    const urls = services.map(({ url }) => url);
    const bank = new Bank({ urls, licenseKey, ledger, random: seededRandom(1), ratePerSecond, run: 'move' });
    await sleep(3_000);
    for (const to of ['north', 'home']) {
      const sinceMs = performance.now();
      const moved = await runCommand(
        ['workspace', 'move', 'bank', '--to', to, '--config', configFile, '--json'],
        env,
        commandMsMax,
      );
      expect(moved, moved.stderr).toMatchObject({ code: 0 });
      const { pauseMs, rows } = JSON.parse(moved.stdout) as { pauseMs: number; rows: number };
      await sleep(2_000);
      const longest = longestSilence(ledger.acknowledged, sinceMs);
      process.stdout.write(
        `moved to ${to}: ${rows} rows, log closed for ${pauseMs} ms, longest time without an answer ${longest} ms\n`,
      );
      expect(pauseMs).toBeLessThan(pauseMsMax);
      expect(longest).toBeLessThan(pauseMsMax);
    }
    await bank.stop(20_000);

    const management = new Management(services[0]!.managementUrl);
    const database = await connectTo(server.databaseUrl);
    onTestFinished(() => database.end());
    await eventually('everything is decided and delivered', 60_000, () => isAllDone(database, ledger));
    const findings = await findBrokenPromises({ ledger, receiver, database, management });
    const kept = {
      lost: [],
      lostByName: [],
      undecided: [],
      decidedTwice: [],
      actionRows: [],
      executions: [],
      refusals: [],
    };
    expect(findings).toMatchObject({ broken: kept, redelivered: 0 });
    expect(ledger.acknowledged.length).toBeGreaterThan(300);
  },
  testMsMax,
);

function northOf(databaseUrl: string): string {
  return databaseUrl.replace(/\/[^/?]*(\?|$)/, '/north$1');
}

/** Between two answers, ms. */
function longestSilence(acknowledged: readonly Acknowledged[], sinceMs: number): number {
  const times = acknowledged.flatMap(({ acknowledgedAtMs }) => acknowledgedAtMs ?? []).filter((at) => at >= sinceMs);
  const sorted = [sinceMs, ...times.toSorted((a, b) => a - b)];
  return Math.round(Math.max(...sorted.slice(1).map((at, i) => at - sorted[i]!)));
}
