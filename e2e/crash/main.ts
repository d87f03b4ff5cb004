/**
 * Kills parts of the system at random moments under load, cuts the power of all of it, or sets its clock. Then compares
 * the bank's own ledger with the database and with the webhooks that the bank received.
 *
 *     npm run test:crash -- [--rounds 20] [--seed N] [--only TARGET] [--together N] [--patience N]
 *
 * Targets are service, two, postgres, clock, power, holds, broker-leader, broker-follower, rollback, and the controls
 * control, power-control, control-acks and control-places. Power can be cut where root can mount a disk and `xfs_io` is
 * installed (Debian: xfsprogs), a clock can be set with `libfaketime`, brokers need Java and Maven; otherwise a line says
 * that the target was skipped.
 *
 * `--together` strikes this many targets at the same time, each with its own database and load. The next one begins when
 * the strikes of one are over, while its leases and holds run out. `--patience` multiplies the two time limits, for a
 * busy machine; lost, doubled or undecided events are judged the same.
 *
 * Exits with code 0 only if every promise was kept and every negative control was detected.
 */
import { parseArgs } from 'node:util';
import { whyNoClock } from '../harness/settable-clock.ts';
import { whyNoDisk } from '../harness/disk.ts';
import { whyNoBrokers } from '../../tools/testing/kafka/brokers.ts';
import { isKept } from './findings.ts';
import { runHoldTarget } from './hold-target.ts';
import { runStoreControl, runTarget, type StoreControlResult, type TargetResult } from './run-target.ts';
import type { Target } from './system.ts';

/** Payments that are held, decided and run out while the service is killed; it has a bank and a judge of its own. */
const holds = 'holds';
type Struck = Target | typeof holds;
/**
 * Ordered so that two targets which restart a service repeatedly rarely run at the same time, and that those which wait
 * longest after their strikes are not the last ones: `holds`, and the controls, whose lost events are waited for in vain.
 */
const everything: readonly Struck[] = [
  'service',
  holds,
  'postgres',
  'clock',
  'control',
  'two',
  'power-control',
  'power',
  'broker-leader',
  'broker-follower',
  'rollback',
  'control-acks',
  'control-places',
];
const controls: ReadonlySet<Struck> = new Set(['control', 'power-control', 'control-acks', 'control-places']);
const onBrokers: ReadonlySet<Struck> = new Set([
  'broker-leader',
  'broker-follower',
  'rollback',
  'control-acks',
  'control-places',
]);
/** Strikes of a broker among all targets: its start takes longer than those of the others. */
const brokerRounds = 10;
/** Strikes of `rollback` among all targets: each needs 10 s of load. */
const rollbackRounds = 1;
const onDisk: ReadonlySet<Struck> = new Set(['power', 'power-control']);
/** Reliability bar: a single service responds again within this time. */
const answerAgainMsMax = 5_000;
/** The same where a broker is struck as well: what a start has to read is there when another broker leads. */
const answerAgainOnBrokersMsMax = 10_000;
/** Partitions move to another process within this time; a single service has restarted before. */
const actAgainMsMax = 10_000;
/** Strikes of a control: one loses the commits of up to 10 s that were not written; more only take time. */
const controlRounds = 2;
/** Strikes of `holds` among all targets. */
const holdRounds = 5;
const shownMax = 10;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    together: { type: 'string', default: '1' },
    patience: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const together = Number(values.together);
const patience = Number(values.patience);
const named = everything.filter((target) => (values.only ?? target) === target);
const areWhole = [rounds, seed, together].every(Number.isInteger);
if (!areWhole || rounds < 1 || together < 1 || !(patience >= 1) || named.length === 0) {
  process.stderr.write(
    `--rounds is a number of strikes, --seed a whole number, --only one of ${everything.join(', ')}, ` +
      '--together a number of targets, --patience at least 1\n',
  );
  process.exit(2);
}

process.stdout.write(`seed ${seed} (again: npm run test:crash -- --rounds ${rounds} --seed ${seed})\n`);
const [noDisk, noClock, noBrokers] = [await whyNoDisk(), await whyNoClock(), await whyNoBrokers()];
const whyNot = (target: Struck): string | undefined =>
  onDisk.has(target) ? noDisk : onBrokers.has(target) ? noBrokers : target === 'clock' ? noClock : undefined;
const chosen: readonly Struck[] = named.filter((target) => whyNot(target) === undefined);
for (const target of named) {
  const why = whyNot(target);
  if (why !== undefined) process.stdout.write(`${target} is not struck: ${why}\n`);
}
if (chosen.length === 0) process.exit(2);

const results: Promise<boolean>[] = [];
const waiting = chosen.values();
const strikeNext = async (): Promise<void> => {
  for (const target of waiting) {
    const struck = Promise.withResolvers<void>();
    const result = strike(target, struck.resolve);
    results.push(result);
    await Promise.race([struck.promise, result]);
  }
};
await Promise.all(Array.from({ length: together }, strikeNext));
const kept = (await Promise.all(results)).every(Boolean);
process.stdout.write(kept ? '\nevery promise was kept\n' : `\nNOT KEPT (seed ${seed})\n`);
process.exitCode = kept ? 0 : 1;

/**
 * @param onStruck called when only the rest has to be decided and delivered: the next target may begin
 * @returns whether every promise was kept
 */
async function strike(target: Struck, onStruck: () => void): Promise<boolean> {
  if (target === holds) return strikeHolds(onStruck);
  const times = timesOf(target);
  process.stdout.write(`${target}: ${times} strikes under load\n`);
  try {
    const run = { rounds: times, seed, onStruck };
    if (controls.has(target) && onBrokers.has(target)) {
      const result = await runStoreControl(target, run);
      return report(target, result, reportStoreControl);
    }
    const result = await runTarget(target, run);
    const judged = target === 'rollback' ? reportRollback : controls.has(target) ? reportControl : reportTarget;
    return report(target, result, judged);
  } catch (error) {
    // The others continue: each finishes its run.
    process.stdout.write(`\n${String(error)}\n`);
    return false;
  }
}

/** Prints what was found, and the service's output if it isn't right. */
function report<Result extends { readonly output: string }>(
  target: Target,
  result: Result,
  judged: (result: Result, target: Target) => boolean,
): boolean {
  process.stdout.write(`\n${target}\n`);
  const right = judged(result, target);
  process.stdout.write(`${right ? '' : result.output}\n`);
  return right;
}

function timesOf(target: Target): number {
  if (controls.has(target)) return Math.min(rounds, controlRounds);
  if (values.only !== undefined || !onBrokers.has(target)) return rounds;
  if (target === 'rollback') return rollbackRounds;
  return Math.min(rounds, brokerRounds);
}

async function strikeHolds(onStruck: () => void): Promise<boolean> {
  // Each round takes longer than those of the other targets: holds have to run out.
  const times = Math.min(rounds, values.only === holds ? rounds : holdRounds);
  process.stdout.write(`holds: ${times} strikes while payments are held\n`);
  try {
    const result = await runHoldTarget({ rounds: times, seed, onStruck });
    const { broken, payments, webhooks, redelivered, isControlDetected, isReplayEqual, output } = result;
    process.stdout.write('\nholds\n');
    print('held', `${payments} payments and repeats, ${webhooks} webhooks, ${redelivered} of them repeated`);
    for (const [promise, found] of Object.entries(broken)) print(promise, found.length, ...found.slice(0, shownMax));
    print('replay', isReplayEqual ? 'equal' : 'NOT EQUAL');
    print('control', `ends without derived ids were ${isControlDetected ? '' : 'NOT '}detected`);
    const isRight = Object.values(broken).every((found) => found.length === 0) && isReplayEqual && isControlDetected;
    process.stdout.write(`${isRight ? '' : output}\n`);
    return isRight && payments > 0;
  } catch (error) {
    process.stdout.write(`\n${String(error)}\n`);
    return false;
  }
}

function reportTarget({ findings, answeredAfterMs, actedAfterMs, startMs }: TargetResult, target: Target): boolean {
  const answerMsMax = onBrokers.has(target) ? answerAgainOnBrokersMsMax : answerAgainMsMax;
  const slowest = Math.max(...answeredAfterMs);
  const slowestAct = Math.max(0, ...actedAfterMs);
  print('acknowledged', `${findings.acknowledged} events, ${findings.repeats} POSTs repeated`);
  print('actions', `${findings.actions}, ${findings.redelivered} repeated webhooks with the same id`);
  for (const [promise, broken] of Object.entries(findings.broken))
    print(promise, broken.length, ...broken.slice(0, shownMax));
  print('answers again', `slowest ${Math.round(slowest)} ms, bar ${answerMsMax} ms`);
  print('acts again', `slowest ${Math.round(slowestAct)} ms of ${actedAfterMs.length} rounds, bar ${actAgainMsMax} ms`);
  if (startMs.length > 0) print('start to ready', `slowest ${Math.round(Math.max(...startMs))} ms`);
  const inTime = slowest <= answerMsMax * patience && slowestAct <= actAgainMsMax * patience;
  return isKept(findings) && inTime && findings.acknowledged > 0 && findings.actions > 0;
}

/** Decisions, actions and ids since the copy are gone with the database, and are made again: only events are judged. */
function reportRollback({ findings, answeredAfterMs }: TargetResult): boolean {
  const { lost, lostByName, decidedTwice } = findings.broken;
  const adopted = lost.length - findings.forgotten;
  print('acknowledged', `${findings.acknowledged} events, ${findings.repeats} POSTs repeated`);
  print('adopted', `${adopted} acknowledged events have another id; only the database had ${findings.forgotten}`);
  print('lost', lostByName.length, ...lostByName.slice(0, shownMax));
  print('decidedTwice', decidedTwice.length, ...decidedTwice.slice(0, shownMax));
  print('answers again', `slowest ${Math.round(Math.max(...answeredAfterMs))} ms`);
  return lostByName.length + decidedTwice.length === 0 && adopted > 0;
}

/**
 * The deciding thread may have got an event before its bytes were lost: so what it has decided is read again. Or it has
 * stopped before the lost records, and says so.
 */
function reportStoreControl({ acknowledged, unreadable, output }: StoreControlResult): boolean {
  const named = /records \d+ to \d+ of partition \w+ are lost[^"\n]*/.exec(`${unreadable}${output}`)?.[0];
  print('acknowledged', `${acknowledged} events`);
  const found = named ?? unreadable.slice(0, 1_000);
  print('lost', `${found}: the control was ${named === undefined ? 'NOT detected' : 'detected'}`);
  return named !== undefined;
}

/** If the harness detects no loss in the control, its other results prove nothing. */
function reportControl({ findings }: TargetResult): boolean {
  const lost = findings.broken.lost.length;
  print('acknowledged', `${findings.acknowledged} events`);
  print('lost', `${lost} events: the control was ${lost > 0 ? 'detected' : 'NOT detected'}`);
  return lost > 0;
}

function print(name: string, ...values: readonly (string | number)[]): void {
  process.stdout.write(`  ${name.padEnd(16)}${values.join('\n'.padEnd(19))}\n`);
}
