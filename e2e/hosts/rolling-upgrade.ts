import { fileURLToPath } from 'node:url';
import { eventually } from '../harness/eventually.ts';
import type { Failure, Ledger } from '../harness/ledger.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import type { EarlierRelease } from './earlier-release.ts';
import { type Host, type Hosts, openHosts } from './hosts.ts';
import { Progress } from './progress.ts';
import { type Judged, underLoad } from './round.ts';

export interface Upgrade {
  /** Whether the earlier release could be started again on the database that the newer one had migrated. */
  readonly isBack: boolean;
  /** The longest stop of a service, and the longest time until one was ready. */
  readonly stopMs: number;
  readonly readyMs: number;
  readonly lagMaxMs: number;
  readonly slowestMs: number;
  /** What the balancer's callers got in place of a 200: none is allowed. */
  readonly failures: readonly Failure[];
  readonly repeated: Balancer['repeated'];
}

const program = fileURLToPath(new URL('../../apps/server/bin/ringfence.js', import.meta.url));
const betweenEvents = 150;
const loadedMsMax = 60_000;

/** Replaces the service of each host by this release under load, then goes back the same way. */
export async function upgradeUnderLoad({ program: earlier }: EarlierRelease, seed: number): Promise<Judged<Upgrade>> {
  const hosts = await openHosts({ program: earlier });
  const progress = new Progress(hosts.database);
  const urls = hosts.services.map(({ service }) => service.url);
  const balancer = await startBalancer(urls, hosts.network.outside);
  try {
    const round = { run: 'upgrade', seed, urls: [balancer.url] };
    return await underLoad(hosts, { progress, round }, async (ledger) => {
      progress.forget();
      const there = await replaceAll(hosts, program, ledger);
      const back = await replaceAll(hosts, earlier, ledger);
      const times = ledger.acknowledged.map(({ acknowledgedAtMs = 0, triedAtMs }) => acknowledgedAtMs - triedAtMs);
      return {
        isBack: back.refused === undefined,
        stopMs: Math.max(there.stopMs, back.stopMs),
        readyMs: Math.max(there.readyMs, back.readyMs),
        lagMaxMs: progress.lagMaxMs,
        slowestMs: Math.max(...times),
        failures: ledger.failures,
        repeated: balancer.repeated,
      };
    });
  } finally {
    await balancer.close();
    await progress.close();
    await hosts.close();
  }
}

interface Replaced {
  readonly stopMs: number;
  readonly readyMs: number;
  /** Why the release does not start on this database: the host has the one that it had, and so have the next ones. */
  readonly refused?: Error;
}

async function replaceAll({ services }: Hosts, by: string, ledger: Ledger): Promise<Replaced> {
  const replaced = { stopMs: 0, readyMs: 0 };
  for (const host of services) {
    const { code, tookMs } = await host.service.stop();
    if (code !== 0) throw new Error(`${host.name} ended with ${code}\n${host.service.output()}`);
    const refused = await startOrBack(host, by);
    if (refused !== undefined) return { ...replaced, refused };
    replaced.stopMs = Math.max(replaced.stopMs, tookMs);
    replaced.readyMs = Math.max(replaced.readyMs, host.service.readyMs);
    const before = ledger.acknowledged.length;
    await eventually('the load goes on', loadedMsMax, () =>
      ledger.acknowledged.length > before + betweenEvents ? true : undefined,
    );
  }
  return replaced;
}

async function startOrBack(host: Host, by: string): Promise<Error | undefined> {
  try {
    await host.start(by);
    return undefined;
  } catch (error) {
    if (by === program || !String(error).includes('newer release')) throw error;
    await host.start(program);
    return error as Error;
  }
}
