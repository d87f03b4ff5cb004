/**
 * One service under load meets the faults of an operator's year, one after the other: database away, disk full, no open
 * files left, no memory left, a process that is stopped, wrong clocks, names and certificates that are gone, receivers of every kind,
 * and three at once. Prometheus' part is played with the shipped alert rules.
 *
 *     npm run test:faults -- [--only NAME] [--seed N]
 *
 * It takes half an hour, needs root of a Linux with `xfs_io` and `libfaketime` (Debian: xfsprogs, libfaketime), and exits
 * with code 0 only if no acknowledged event was lost, doubled or left undecided, every action was executed once, and
 * each fault raised its alerts and no others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Findings, findBrokenPromises, isAllDone, isKept } from '../crash/findings.ts';
import { whyNoDisk } from '../harness/disk.ts';
import { eventually } from '../harness/eventually.ts';
import { Management } from '../harness/management.ts';
import { whyNoClock } from '../harness/settable-clock.ts';
import { AlertWatch, type Fired, minuteMs } from './alert-watch.ts';
import { type Fault, faults } from './faults.ts';
import { openWorld, type World } from './world.ts';

/** Before the first fault: rules look at what was before. */
const calmMs = 4 * minuteMs;
/** Behind a fault, until its alerts have ended and no new one follows: at least, and at most. */
const recoveryMs = { min: 6 * minuteMs, max: 12 * minuteMs };
const answerMsMax = 30_000;
/** Deliveries that failed often wait for minutes. */
const settleMs = 600_000;
/** They tell of the speed of the machine, which these tests share with other work. */
const ofTheMachine: ReadonlySet<string> = new Set([
  'RingfenceRequestsSlow',
  'RingfenceAppendsSlow',
  'RingfenceMainThreadBlocked',
  'RingfenceIngestThreadBlocked',
  'RingfenceDecidingThreadBlocked',
]);

const { values } = parseArgs({ options: { only: { type: 'string' }, seed: { type: 'string', default: '1' } } });
const chosen = faults.filter(({ name }) => values.only === undefined || name.includes(values.only));
const why = (await whyNoDisk()) ?? (await whyNoClock());
if (why !== undefined || chosen.length === 0) {
  process.stderr.write(`${why ?? `--only is a part of: ${faults.map(({ name }) => name).join('; ')}`}\n`);
  process.exit(2);
}

const world = await openWorld(Number(values.seed));
const watch = new AlertWatch(world.service.managementUrl);
let failed = 0;
try {
  await sleep(calmMs);
  judge({ name: 'nothing', fires: [] }, watch.fired);
  for (const fault of chosen) {
    const before = watch.fired.length;
    await fault.happen(world);
    await recovered(watch);
    judge(fault, watch.fired.slice(before));
  }
  report(await findings(world));
} catch (error) {
  failed++;
  process.stdout.write(`${String(error)}\n${world.service.output()}\n`);
} finally {
  watch.stop();
  await world.close();
}
process.stdout.write(`${failed === 0 ? 'every promise was kept' : `NOT KEPT: ${failed}`}\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function recovered(watch: AlertWatch): Promise<void> {
  const beganMs = performance.now();
  await sleep(recoveryMs.min);
  while (watch.firing.some((alert) => !ofTheMachine.has(alert)) && performance.now() - beganMs < recoveryMs.max)
    await sleep(minuteMs);
}

function judge(
  { name, fires, mayFire = [] }: Pick<Fault, 'name' | 'fires' | 'mayFire'>,
  fired: readonly Fired[],
): void {
  const seen = new Set(fired.map(({ alert }) => alert));
  const silent = fires.filter((alert) => !seen.has(alert));
  const wrong = [...seen].filter((alert) => ![...fires, ...mayFire].includes(alert) && !ofTheMachine.has(alert));
  const isRight = silent.length === 0 && wrong.length === 0;
  if (!isRight) failed++;
  process.stdout.write(`${isRight ? 'right' : 'WRONG'}  ${name}: ${[...seen].join(', ') || 'no alert'}\n`);
  if (silent.length > 0) process.stdout.write(`       did not fire: ${silent.join(', ')}\n`);
  if (wrong.length > 0) process.stdout.write(`       should not fire: ${wrong.join(', ')}\n`);
}

async function findings(world: World): Promise<Findings> {
  const { bank, ledger, receiver, service } = world;
  await bank.stop(answerMsMax);
  const database = await eventually('the database answers', answerMsMax, () => world.connect());
  await eventually('all is decided and delivered', settleMs, () => isAllDone(database, ledger)).catch(() => undefined);
  const management = new Management(service.managementUrl);
  const found = await findBrokenPromises({ ledger, receiver, database, management });
  await database.end();
  return found;
}

function report(found: Findings): void {
  process.stdout.write(
    `${found.acknowledged} events acknowledged, ${found.repeats} requests repeated, ${found.actions} actions, ${found.redelivered} webhooks repeated\n`,
  );
  for (const [promise, broken] of Object.entries(found.broken))
    process.stdout.write(`  ${promise.padEnd(14)}${broken.length} ${broken.slice(0, 5).join(', ')}\n`);
  if (!isKept(found)) failed++;
}
