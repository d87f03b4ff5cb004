/**
 * Parts hosts from each other under load: three with a service, one with their database, in network namespaces. Then
 * compares the bank's own ledger with the database and with the webhooks that the bank received.
 *
 *     npm run test:hosts -- [--only FAULT,…] [--minutes N] [--seed N] [--from COMMIT] [--together] [--patience N]
 *
 * Each fault of `faults.ts` once, then a rolling upgrade; with `--minutes` again and again, in an order that the seed
 * gives. `--from` is the earlier release of the upgrade: a tag or a commit. `--together` compares the books once for all
 * faults and not after each, for a short run. `--patience` multiplies the time limits, for a busy machine; what is lost,
 * doubled or undecided is judged the same.
 *
 * It needs root of a Linux; elsewhere one line says so, and nothing is tested. Faults of a broker need Java. Exits with code 0 only if every promise
 * was kept, and if the judge found what was made wrong in a copy of the books.
 */
import { parseArgs } from 'node:util';
import { whyNoBrokers } from '../../tools/testing/kafka/brokers.ts';
import { isKept } from '../crash/findings.ts';
import { between, seededRandom } from '../harness/seeded-random.ts';
import { faults } from './faults.ts';
import { checkOutEarlier, type EarlierRelease } from './earlier-release.ts';
import { type Hosts, openHosts } from './hosts.ts';
import { whyNoNetwork } from './network.ts';
import { Progress } from './progress.ts';
import { upgradeUnderLoad } from './rolling-upgrade.ts';
import { type Judged, underLoad } from './round.ts';
import { bars, countByKind, healedMsMaxOf, type Result, strike } from './strike.ts';

const rolling = 'rolling';
const everything: readonly string[] = [...Object.keys(faults), rolling];
/** How long a fault lasts at least: in a run of minutes at random, up to the minute that TCP bears in silence. */
const lasts = { shortMs: 6_000, longestMs: 60_000 };
const minuteMs = 60_000;
const shownMax = 10;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    patience: { type: 'string', default: '1' },
    from: { type: 'string' },
    together: { type: 'boolean', default: false },
  },
});
const [minutes, seed, patience] = [Number(values.minutes), Number(values.seed), Number(values.patience)];
const chosen = values.only?.split(',') ?? everything;
if (
  !(minutes >= 0) ||
  !(patience >= 1) ||
  !Number.isInteger(seed) ||
  !chosen.every((name) => everything.includes(name))
) {
  process.stderr.write(`--only takes some of ${everything.join(',')}; --minutes, --seed and --patience are numbers\n`);
  process.exit(2);
}
const whyNot = await whyNoNetwork();
if (whyNot !== undefined) {
  process.stdout.write(`skipped: ${whyNot}\n`);
  process.exit(0);
}

process.stdout.write(`seed ${seed}\n`);
const random = seededRandom(seed);
const faultNames = chosen.filter((name) => name !== rolling);
let kept = true;
// What is open is removed at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await playFaults(faultNames.filter((name) => !faults[name]!.onBrokers));
await playOnBrokers(faultNames.filter((name) => faults[name]!.onBrokers));
if (chosen.includes(rolling)) await playUpgrade();
process.stdout.write(kept ? 'every promise was kept\n' : `NOT KEPT (seed ${seed})\n`);
process.exit(kept ? 0 : 1);

async function playOnBrokers(names: readonly string[]): Promise<void> {
  const why = names.length === 0 ? undefined : await whyNoBrokers();
  if (why === undefined) await playFaults(names, true);
  else process.stdout.write(`${names.join(', ')}: skipped: ${why}\n`);
}

async function playFaults(names: readonly string[], withBrokers = false): Promise<void> {
  if (names.length === 0) return;
  const hosts = await openHosts({ withBrokers });
  const progress = new Progress(hosts.database);
  const until = performance.now() + (minutes * minuteMs * names.length) / faultNames.length;
  let rounds = 0;
  try {
    do {
      const order = minutes > 0 ? names.toSorted(() => random() - 0.5) : names;
      const groups = values.together ? [order] : order.map((name) => [name]);
      for (const group of groups)
        report(await play(group, { hosts, progress, run: `${withBrokers ? 'kafka' : 'round'}${++rounds}` }));
    } while (performance.now() < until);
  } catch (error) {
    kept = false;
    process.stdout.write(`${String(error)}\n`);
  } finally {
    if (!kept) for (const { name, service } of hosts.services) process.stdout.write(`\n${name}\n${service.output()}\n`);
    await progress.close();
    await hosts.close();
  }
}

interface Stage {
  readonly hosts: Hosts;
  readonly progress: Progress;
  readonly run: string;
}

function play(names: readonly string[], { hosts, progress, run }: Stage): Promise<Judged<void>> {
  return underLoad(hosts, { progress, round: { run, seed } }, async (ledger) => {
    for (const name of names) {
      const lastsMs = minutes > 0 ? between(random, lasts.shortMs, lasts.longestMs) : lasts.shortMs;
      reportFault(name, await strike(faults[name]!, { hosts, progress, ledger, lastsMs, patience }));
    }
  });
}

async function playUpgrade(): Promise<void> {
  let earlier: EarlierRelease;
  try {
    earlier = await checkOutEarlier(values.from);
  } catch (error) {
    process.stdout.write(`${rolling} is skipped: ${String(error).trim()}\n`);
    return;
  }
  try {
    const judged = await upgradeUnderLoad(earlier, seed);
    const { isBack, stopMs, readyMs, lagMaxMs, slowestMs, failures, repeated } = judged.result;
    print(rolling, [
      `from ${earlier.from} to this release, ${isBack ? 'and back' : 'no way back: this database shuts the earlier one out'}`,
      `slowest stop ${Math.round(stopMs)} ms, slowest start ${Math.round(readyMs)} ms`,
      `longest wait for a decision ${Math.round(lagMaxMs)} ms, bar ${bars.decidedMs} ms`,
      `callers: ${printed(countByKind(failures))}, bar 0; slowest answer ${Math.round(slowestMs)} ms, bar ${bars.answerMs} ms`,
      `sent by the balancer to a second service: ${repeated['503']} after a 503, ${repeated.connection} after a connection`,
    ]);
    kept &&= failures.length === 0 && lagMaxMs <= bars.decidedMs * patience && slowestMs <= bars.answerMs * patience;
    report(judged);
  } catch (error) {
    kept = false;
    process.stdout.write(`${String(error)}\n`);
  } finally {
    await earlier.remove();
  }
}

function printed(failures: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(failures).map(([kind, times]) => `${times} ${kind}`);
  return kinds.join(', ') || 'no errors';
}

function reportFault(name: string, result: Result): void {
  const { decidedMs, by, lagMaxMs, healedMs, failures, slowestMs, kafka, broken } = result;
  print(name, [
    faults[name]!.is,
    `decided again after ${Math.round(decidedMs)} ms by ${by}; longest wait ${Math.round(lagMaxMs)} ms, bar ${bars.decidedMs} ms`,
    `healed after ${Math.round(healedMs)} ms, bar ${healedMsMaxOf(faults[name]!)} ms`,
    `callers: ${printed(failures)}; slowest answer ${Math.round(slowestMs)} ms, bar ${bars.answerMs} ms`,
    ...(kafka === undefined
      ? []
      : [`its broker ${kafka.led ? 'led' : 'followed'}; the topic got ${kafka.messages} messages meanwhile`]),
    ...broken.map((words) => `NOT KEPT: ${words}`),
  ]);
  kept &&= broken.length === 0;
}

function report({ findings, settledMs, isControlDetected }: Judged<unknown>): void {
  const { acknowledged, actions, redelivered, repeats, broken } = findings;
  const wrong = Object.entries(broken).filter(([, found]) => found.length > 0);
  print('judged', [
    `${acknowledged} events, ${repeats} POSTs repeated, ${actions} actions, ${redelivered} repeated webhooks`,
    `all delivered ${Math.round(settledMs)} ms after the load`,
    ...wrong.map(([promise, found]) => `NOT KEPT: ${promise} ${found.length} ${found.slice(0, shownMax).join(', ')}`),
    wrong.length === 0 ? '0 lost, 0 doubled, 0 undecided' : 'see above',
    `control: a doubled webhook and a lost event were ${isControlDetected ? '' : 'NOT '}detected`,
  ]);
  kept &&= isKept(findings) && isControlDetected && acknowledged > 0 && actions > 0;
}

function print(name: string, lines: readonly string[]): void {
  process.stdout.write(`${name.padEnd(24)}${lines.join('\n'.padEnd(25))}\n`);
}
