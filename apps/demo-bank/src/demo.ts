import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arrival } from './bank/webhook-server.ts';
import type { DemoOptions } from './command-line.ts';
import { ordinaryTraffic } from './play/ordinary.ts';
import { patienceMs } from './play/patience.ts';
import { play } from './play/player.ts';
import { seededRandom } from './play/random.ts';
import type { Step } from './play/story.ts';
import { until } from './play/until.ts';
import { type Finding, judge, timesOf } from './play/verdict.ts';
import type { Screen } from './screen/screen.ts';
import { describeArrival, describeFindings, describeNextSteps, describeProgress } from './screen/words.ts';
import { waitForQuiescence } from './service/quiescence.ts';
import { openStage, type Stage } from './stage.ts';
import { stories } from './stories/all.ts';

const ordinaryPlan = { clients: 60, spanMs: 20_000 };
const firstStoryMs = 1_500;
/** Delay between the starts of two stories: slow enough to read, short enough to wait for. */
const betweenStoriesMs = 1_800;
const lookEveryMs = 200;
const looksMax = patienceMs / lookEveryMs;

export interface DemoSurroundings {
  readonly screen: Screen;
  /** Requests the end of the demo. */
  readonly signal: AbortSignal;
}

/** What happened during the demo. */
interface Happenings {
  readonly arrivals: Arrival[];
  /** Descriptions of unexpected events. */
  readonly troubles: string[];
}

/**
 * Runs the demo: starts Ringfence and the bank, plays the stories, checks the results, and serves until it is stopped.
 *
 * @returns the exit code
 * @throws AbortError if stopped before the stories end, Error if a part fails to start
 */
export async function runDemo(options: DemoOptions, { screen, signal }: DemoSurroundings): Promise<number> {
  const record: Happenings = { arrivals: [], troubles: [] };
  let beganMs = performance.now();
  screen.line('Starting Ringfence (embedded PostgreSQL, starter policy) and a bank ...');
  const stage = await openStage({
    port: options.port,
    folder: options.folder,
    signal,
    onArrival: (arrival) => {
      record.arrivals.push(arrival);
      screen.line(describeArrival(arrival, performance.now() - beganMs));
    },
    onTrouble: (trouble) => {
      const why = trouble.kind === 'refused' ? trouble.detail : String(trouble.error);
      record.troubles.push(`the bank's webhook ${trouble.kind}: ${why}`);
    },
    onDrop: (reason) => record.troubles.push(`an event was not taken: ${JSON.stringify(reason)}`),
  });
  try {
    const tookSeconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    screen.line(`Ready after ${tookSeconds} s: ${stage.addresses.url} (seed ${options.seed})`);
    beganMs = performance.now();
    await perform(stage, options.seed, { screen, signal: AbortSignal.any([signal, stage.service.gone]), record });
    record.troubles.push(...(await findDifferences(stage)));
    const isRight = conclude(stage, record, screen);
    if (options.exit) return isRight ? 0 : 1;
    screen.line('');
    const consoleLink = await stage.service.firstLink();
    for (const line of describeNextSteps({ ...stage.addresses, consoleLink })) screen.line(line);
    return await serve(stage, { screen, signal });
  } finally {
    screen.clearProgress();
    screen.line('Stopping ...');
    await stage.close();
  }
}

interface Performance extends DemoSurroundings {
  readonly record: Happenings;
}

async function perform(stage: Stage, seed: number, { screen, signal, record }: Performance): Promise<void> {
  const steps = script(seed);
  const expected = stories.reduce(
    (sum, story) => sum + story.expected.reduce((own, expected) => own + timesOf(expected), 0),
    0,
  );
  const beganMs = performance.now();
  let done = 0;
  const showProgress = (): void => {
    const { delivered } = stage.ringfence.stats();
    const sinceStartMs = performance.now() - beganMs;
    const progress = { done, steps: steps.length, stored: delivered, arrived: record.arrivals.length, expected };
    screen.progress(describeProgress({ ...progress, sinceStartMs }));
  };
  introduce(screen);
  const ticker = setInterval(showProgress, 250);
  try {
    const settle = (): Promise<boolean> => stage.ringfence.flush(patienceMs);
    await play(steps, {
      bank: stage.bank,
      settle,
      tokenOf: (phone, channelId) => stage.phones.tokenOf(phone, channelId),
      decide: (decision) => stage.analyst.decide(decision, signal),
      recorded: () => untilRecorded(stage, signal),
      signal,
      onStep: (number) => void (done = number),
    });
    if (!(await settle())) record.troubles.push('not every event was stored in time');
    const accepted = steps.filter(({ does }) => does !== 'confirm' && does !== 'decide').length;
    const open = await waitForQuiescence(stage.management, {
      accepted,
      looksMax,
      pause: () => sleep(lookEveryMs, undefined, { signal }),
    });
    if (open !== undefined) record.troubles.push(`not all was decided and delivered in time: ${open}`);
  } finally {
    clearInterval(ticker);
    screen.clearProgress();
  }
}

/** Plays the stories in sequence amid ordinary traffic. */
function script(seed: number): readonly Step[] {
  const told = stories.flatMap((story, index) => {
    const startMs = firstStoryMs + index * betweenStoriesMs;
    return story.steps.map((step) => ({ ...step, atMs: step.atMs + startMs }));
  });
  return [...ordinaryTraffic(seededRandom(seed), ordinaryPlan), ...told];
}

/** Waits until every reported outcome is recorded with its event. */
function untilRecorded({ management }: Stage, signal: AbortSignal): Promise<void> {
  const isRecorded = async (): Promise<boolean> => (await management.outcomes('waiting')).length === 0;
  return until(isRecorded, 'not every outcome was matched with its event', signal);
}

/** Outcomes without an event, and payments that the bank and Ringfence disagree about. */
async function findDifferences({ bank, management }: Stage): Promise<readonly string[]> {
  const unmatched = await management.outcomes('unmatched');
  return [
    ...unmatched.map(({ outcome, reason = '' }) => `the outcome ${outcome} has no event: ${reason}`),
    ...(await bank.reconcile()),
  ];
}

function introduce(screen: Screen): void {
  screen.line(`${ordinaryPlan.clients} ordinary clients use the bank, and among them:`);
  for (const { name, tells } of stories) screen.line(`  ${name}: ${tells}`);
  screen.line('');
}

/** Prints the results. @returns whether they match the stories */
function conclude(stage: Stage, record: Happenings, screen: Screen): boolean {
  const findings: Finding[] = [...judge(stories, record.arrivals)];
  screen.line('');
  for (const line of describeFindings(findings)) screen.line(line);
  for (const trouble of record.troubles) screen.line(`WRONG  ${trouble}`);
  const repeats = stage.webhook.requests() - record.arrivals.length;
  // A busy machine answers some of them too late; the receiver removes the repeats.
  if (repeats > 0) screen.line(`note   ${repeats} webhook requests reached the bank again, and were executed once`);
  const isRight = record.troubles.length === 0 && findings.every((finding) => finding.isRight);
  screen.line('');
  screen.line(
    isRight
      ? 'Every expected action arrived as often as expected, and no other. The bank and Ringfence agree on every held payment.'
      : 'The results differ from the expected ones.',
  );
  return isRight;
}

/** Waits for a stop request or the end of the service. @returns the exit code */
async function serve(stage: Stage, { screen, signal }: DemoSurroundings): Promise<number> {
  const { gone } = stage.service;
  const either = AbortSignal.any([signal, gone]);
  if (!either.aborted) await once(either, 'abort');
  if (signal.aborted) return 0;
  screen.line(String(gone.reason));
  return 1;
}
