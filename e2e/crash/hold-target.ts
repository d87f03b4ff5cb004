import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { Management } from '../harness/management.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { between, type Random, seededRandom } from '../harness/seeded-random.ts';
import { type Service, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';
import { HoldBank, holdPolicy } from './hold-bank.ts';
import { type BrokenHolds, judgeHolds, withoutDerivedIds } from './hold-judge.ts';
import type { Run } from './run-target.ts';

const quietMs = { min: 1_000, max: 4_000 };
/** The last hold's minute, the time to undo its decision, and the webhooks. */
const settleTimeoutMs = 150_000;
const decideEveryMs = 500;
/** One decision in this many is undone. */
const undoneEvery = 8;

export interface HoldResult {
  readonly payments: number;
  readonly webhooks: number;
  readonly broken: BrokenHolds;
  /** Ends that arrived more than once, as at-least-once delivery allows. */
  readonly redelivered: number;
  /** Whether the judge finds the same ends doubled if each attempt had a new id. */
  readonly isControlDetected: boolean;
  /** The answer of `replay --verify`. */
  readonly isReplayEqual: boolean;
  readonly output: string;
}

/**
 * Kills the service at random moments while payments are held, decided and run out. Then every held payment and every
 * repeat must have exactly one end at the bank.
 */
export async function runHoldTarget({ rounds, seed, onStruck }: Run): Promise<HoldResult> {
  const home = await temporaryHome('crash-holds');
  const random = seededRandom(seed);
  const receiver = await startWebhookReceiver();
  const licenseKey = `crash-license-key-${'0'.repeat(32)}`;
  const [port, managementPort] = [await freePort(), await freePort()];
  const plan = { home: join(home.path, 'one'), port, managementPort, licenseKey, webhookUrl: receiver.url };
  const configFile = await writeInstallation({ ...plan, policy: holdPolicy });
  const options = { configFile, port, managementPort };
  let service: Service = await startService(options);
  const bank = new HoldBank({ url: service.url, licenseKey, random });
  const people = new People(new Management(service.managementUrl), random);
  try {
    for (let round = 0; round < rounds; round++) {
      await sleep(between(random, quietMs.min, quietMs.max));
      await service.kill();
      service = await startService(options);
      process.stdout.write(`  holds ${round + 1}/${rounds}: ready again after ${Math.round(service.readyMs)} ms\n`);
    }
    await bank.stop();
    onStruck();
    const database = await connectToEmbedded(join(plan.home, 'state'));
    await eventually('all holds have ended', settleTimeoutMs, async () => {
      const { rows } = await database.query<{ readonly open: string; readonly moving: string; readonly held: string }>(
        `select (select count(*) from hold where state = 'open') as open,
                (select count(*) from action where state in ('waiting', 'due', 'leased')) as moving,
                (select count(*) from hold_member) as held`,
      );
      const [{ open, moving, held }] = rows as [(typeof rows)[number]];
      return Number(held) >= bank.payments.length && Number(open) + Number(moving) === 0 ? true : undefined;
    }).catch(() => undefined);
    await people.stop();
    await database.end();
    const replayed = await runCommand(['replay', '--verify', '--config', configFile]);
    const { received } = receiver;
    return {
      payments: bank.payments.length,
      webhooks: received.length,
      broken: judgeHolds(bank.payments, received),
      redelivered: received.length - receiver.executed.size,
      isControlDetected: judgeHolds(bank.payments, withoutDerivedIds(received)).doubled.length > 0,
      isReplayEqual: replayed.code === 0,
      output: `${replayed.stdout}${replayed.stderr}\n${service.output()}`,
    };
  } finally {
    await people.stop();
    await service.stop();
    await receiver.close();
    await home.remove();
  }
}

/** People who look at the held payments, decide, and sometimes take a decision back. */
class People {
  readonly #management: Management;
  readonly #random: Random;
  readonly #working: Promise<void>;
  #isStopped = false;

  constructor(management: Management, random: Random) {
    this.#management = management;
    this.#random = random;
    this.#working = this.#decideAgainAndAgain();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #decideAgainAndAgain(): Promise<void> {
    while (!this.#isStopped) {
      // The service may be down.
      await this.#decide().catch(() => undefined);
      await sleep(decideEveryMs);
    }
  }

  async #decide(): Promise<void> {
    const response = await this.#management.request('GET', 'holds?state=open&limit=200');
    if (response.status !== 200) return;
    const { items } = (await response.json()) as { readonly items: readonly { id: string; otherwise: string }[] };
    for (const { id } of items.filter(({ otherwise }) => otherwise === 'keep')) {
      const decision = between(this.#random, 0, 1) === 0 ? 'release' : 'reject';
      const status = await this.#management.post(`holds/${id}/decision`, { decision, comment: 'crash test' });
      if (status === 202 && between(this.#random, 1, undoneEvery) === 1)
        await this.#management.post(`holds/${id}/undo`, {});
    }
  }
}
