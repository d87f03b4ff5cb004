import { setTimeout as sleep } from 'node:timers/promises';
import { login } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import type { Failure, Ledger } from '../harness/ledger.ts';
import { isReady } from '../harness/service.ts';
import type { Fault, Struck } from './faults.ts';
import { type Host, type Hosts, licenseKey } from './hosts.ts';
import type { Progress } from './progress.ts';
import { countMessages, untilInSync } from './topic.ts';

/** The bars of a fault, ms. */
export const bars = { decidedMs: 10_000, healedMs: 10_000, answerMs: 5_000 } as const;
/** Longer than each bar, so that a slow machine fails the bar and not the harness. */
const patienceMs = 90_000;
/** A caller who is given up has waited at most this much longer than its patience. */
const timerMs = 250;
/** How long a fault lasts after another host has taken over. */
const afterMs = 2_000;

export interface Result {
  /** From the beginning until an event that was sent later was decided; where nothing can be, from the end. */
  readonly decidedMs: number;
  /** Which host decided it. */
  readonly by: string;
  /** The longest time that an accepted event waited for its decision; where nothing can be, from the end on. */
  readonly lagMaxMs: number;
  /** From the end until every host was ready, accepted an event, and answered a question about the database. */
  readonly healedMs: number;
  /** How often a caller got no 200, by kind. */
  readonly failures: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** Of the log in Kafka; `undefined` where it is in the database. */
  readonly kafka: KafkaResult | undefined;
  /** In words; empty if every bar was kept. */
  readonly broken: readonly string[];
}

interface KafkaResult {
  /** Whether the broker beside the owner led the topic. */
  readonly led: boolean;
  /** How many messages the topic got while the fault lasted. */
  readonly messages: number;
}

export interface StrikePlan {
  readonly hosts: Hosts;
  readonly progress: Progress;
  readonly ledger: Ledger;
  /** It lasts at least this long. */
  readonly lastsMs: number;
  /** Multiplies the bars of what is decided and healed, for a busy machine. */
  readonly patience: number;
}

/** Begins a fault under load, ends it, and waits until everything works again. @throws what the fault's check throws */
export async function strike(
  fault: Fault,
  { hosts, progress, ledger, lastsMs, patience }: StrikePlan,
): Promise<Result> {
  const owner = await eventually('a host decides', patienceMs, () => ownerOf(hosts, progress));
  const [one, two] = hosts.services.filter((host) => host !== owner) as [Host, Host];
  const struck: Struck = { hosts, progress, owner, others: [one, two] };
  const before = await lookAtTopic(struck);
  progress.forget();
  const [beganMs, failuresBefore] = [performance.now(), ledger.failures.length];
  await fault.begin(struck);
  const lasting = sleep(lastsMs);
  const decided = fault.stopsAll ? undefined : await decidedSince(beganMs, struck, fault.moves);
  if (fault.moves) await sleep(afterMs);
  await lasting;
  await fault.check?.(struck);
  const kafka = before && { ...before, messages: (await countMessages(hosts.brokers!)) - before.messages };

  const endedMs = performance.now();
  if (fault.stopsAll) progress.forget();
  await hosts.network.heal();
  await fault.end?.(struck);
  const [healedMs, again] = await Promise.all([
    healed(hosts).then(() => performance.now() - endedMs),
    decided ?? decidedSince(endedMs, struck, false),
  ]);
  const failures = ledger.failures.slice(failuresBefore);
  const times = ledger.acknowledged
    .filter(({ acknowledgedAtMs = 0 }) => acknowledgedAtMs > beganMs)
    .map(({ acknowledgedAtMs = 0, triedAtMs }) => acknowledgedAtMs - triedAtMs);
  const result = {
    ...again,
    lagMaxMs: progress.lagMaxMs,
    healedMs,
    failures: countByKind(failures),
    slowestMs: Math.max(0, ...times, ...failures.map(({ tookMs }) => tookMs)),
    kafka,
  };
  const refused = failures.filter(({ kind, url }) => kind === '503' && url !== owner.service.url).length;
  return { ...result, broken: [...brokenBars(fault, result, patience), ...brokenByKafka(kafka, refused)] };
}

/** When all brokers have all of the topic. */
async function lookAtTopic({ hosts: { brokers }, owner }: Struck): Promise<KafkaResult | undefined> {
  if (brokers === undefined) return undefined;
  await untilInSync(brokers, patienceMs);
  return { led: (await brokers.find('leader')) === owner.broker, messages: await countMessages(brokers) };
}

/** @param refused answers 503 of the other hosts: without Kafka they give none */
function brokenByKafka(kafka: KafkaResult | undefined, refused: number): readonly string[] {
  if (kafka === undefined) return [];
  return [
    refused > 0 ? `${refused} answers 503 of other hosts` : '',
    kafka.messages === 0 ? 'the topic got no message from the hosts that were left' : '',
  ].filter((words) => words !== '');
}

/** How many failures of callers there were of each kind. */
export function countByKind(failures: readonly Failure[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(failures, ({ kind }) => kind)].map(([kind, same]) => [kind, same.length]));
}

/** Longest time from the end of a fault until all is well. */
export function healedMsMaxOf({ healedMsMax = bars.healedMs }: Fault): number {
  return healedMsMax;
}

function brokenBars(fault: Fault, result: Omit<Result, 'broken'>, patience: number): readonly string[] {
  const { decidedMs, lagMaxMs, healedMs, slowestMs, failures } = result;
  return [
    decidedMs > bars.decidedMs * patience ? `decided again after ${Math.round(decidedMs)} ms` : '',
    lagMaxMs > bars.decidedMs * patience ? `an event waited ${Math.round(lagMaxMs)} ms for its decision` : '',
    healedMs > healedMsMaxOf(fault) * patience ? `healed after ${Math.round(healedMs)} ms` : '',
    slowestMs > (bars.answerMs + timerMs) * patience ? `an answer took ${Math.round(slowestMs)} ms` : '',
    // Where the bank reaches a host, the host answers, with a 503 at least.
    !fault.silent && patience === 1 && (failures['timeout'] ?? 0) > 0
      ? `${failures['timeout']} calls got no answer`
      : '',
  ].filter((words) => words !== '');
}

function ownerOf({ network, services }: Hosts, progress: Progress): Host | undefined {
  return services.find(({ name }) => network.address(name) === progress.owner);
}

/** Waits until an event that was accepted after `sinceMs` is decided. */
async function decidedSince(
  sinceMs: number,
  { hosts, owner, progress }: Struck,
  moves: boolean,
): Promise<Pick<Result, 'decidedMs' | 'by'>> {
  const { end } = progress;
  return eventually('events are decided again', patienceMs, () => {
    const by = ownerOf(hosts, progress);
    if (progress.position <= end || by === undefined || (moves && by === owner)) return undefined;
    return { decidedMs: performance.now() - sinceMs, by: by.name };
  });
}

async function healed({ services }: Hosts): Promise<void> {
  await Promise.all(services.map((host) => eventually(`${host.name} works`, patienceMs, () => works(host))));
}

async function works({ service, management }: Host): Promise<true | undefined> {
  if ((await isReady(service.managementUrl)) !== true) return undefined;
  const accepted = await fetch(`${service.url}/api/v5/analytics/app/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(login({ client: 'probe', session: 'probe' })),
    signal: AbortSignal.timeout(bars.answerMs),
  });
  await accepted.arrayBuffer();
  const answered = await management.request('GET', 'actions?limit=1');
  await answered.arrayBuffer();
  return accepted.status === 200 && answered.status === 200 ? true : undefined;
}
