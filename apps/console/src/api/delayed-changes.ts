/**
 * Changes that are sent after a while, so that they can be undone before anything is written.
 *
 *     delayed --30 s, "send now", logging out--> sent --> done, failed
 *        |  \--page left--> sent by a request that outlives the page
 *        '--undone
 *
 * What is delayed is also noted in the browser's storage: if the browser ends without telling its page, the next page
 * says what was not written.
 */
import { ApiProblem } from './api-problem.ts';
import { type Answer, call, type Input } from './call.ts';

/** How long a change can be undone. */
export const undoMs = 30_000;

/** Operations on several alerts. */
type DelayedId = 'closeAlerts' | 'suppressAlerts' | 'handOverAlerts';

/** An operation with its input. */
export type Asked = {
  readonly [Id in DelayedId]: { readonly operation: Id; readonly input: Input<Id> };
}[DelayedId];

export interface DelayedChange {
  readonly id: string;
  readonly asked: Asked;
  /** What it does, in the user's language, without personal data. */
  readonly text: string;
  readonly sentAtMs: number;
}

export type Outcome = { readonly change: DelayedChange } & (
  | { readonly answer: Answer<DelayedId> }
  | { readonly problem: ApiProblem }
);

let delayed: readonly DelayedChange[] = [];
const listeners = new Set<() => void>();
const outcomes = new Set<(outcome: Outcome) => void>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();

export function delayedChanges(): readonly DelayedChange[] {
  return delayed;
}

/** @returns a function that unsubscribes */
export function onDelayed(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls back with the result of each change that was sent. @returns a function that unsubscribes */
export function onOutcome(listener: (outcome: Outcome) => void): () => void {
  outcomes.add(listener);
  return () => outcomes.delete(listener);
}

export function delay(asked: Asked, text: string): void {
  const change = { id: crypto.randomUUID(), asked, text, sentAtMs: Date.now() + undoMs };
  timers.set(
    change.id,
    setTimeout(() => void send(change), undoMs),
  );
  put([...delayed, change]);
}

export function undo({ id }: DelayedChange): void {
  take(id);
}

/** Sends all changes at once and waits for their answers. */
export async function sendDelayed(): Promise<void> {
  await Promise.all(delayed.map((change) => send(change)));
}

async function send(change: DelayedChange, keepalive = false): Promise<void> {
  if (!take(change.id)) return;
  const { operation, input } = change.asked;
  let outcome: Outcome;
  try {
    outcome = { change, answer: await call(operation, input, { keepalive }) };
  } catch (problem) {
    outcome = { change, problem: problem instanceof ApiProblem ? problem : ApiProblem.unreachable(problem) };
  }
  for (const hear of outcomes) hear(outcome);
}

/** @returns whether it was still delayed */
function take(id: string): boolean {
  const rest = delayed.filter((change) => change.id !== id);
  if (rest.length === delayed.length) return false;
  clearTimeout(timers.get(id));
  timers.delete(id);
  put(rest);
  return true;
}

function put(next: readonly DelayedChange[]): void {
  delayed = next;
  note(next);
  for (const listener of listeners) listener();
}

window.addEventListener('pagehide', () => {
  for (const change of delayed) void send(change, true);
});

const noted = 'ringfence.delayed';
/** Identifies this page among those of the browser. */
const page = crypto.randomUUID();
/** Longer than any page that is alive delays a change; hidden pages have slow timers. */
const lostMs = 3 * undoMs;

interface Noted {
  readonly page: string;
  readonly text: string;
  readonly sentAtMs: number;
}

function note(changes: readonly DelayedChange[]): void {
  const others = readNoted().filter((one) => one.page !== page);
  const own = changes.map(({ text, sentAtMs }) => ({ page, text, sentAtMs }));
  writeNoted([...others, ...own]);
}

/** Changes that earlier pages delayed and never sent. Each is reported once. */
export function takeLost(): readonly string[] {
  const all = readNoted();
  const lost = all.filter((one) => one.page !== page && one.sentAtMs + lostMs < Date.now());
  if (lost.length > 0) writeNoted(all.filter((one) => !lost.includes(one)));
  return lost.map(({ text }) => text);
}

function readNoted(): readonly Noted[] {
  return JSON.parse(localStorage.getItem(noted) ?? '[]') as readonly Noted[];
}

function writeNoted(all: readonly Noted[]): void {
  if (all.length === 0) localStorage.removeItem(noted);
  else localStorage.setItem(noted, JSON.stringify(all));
}
