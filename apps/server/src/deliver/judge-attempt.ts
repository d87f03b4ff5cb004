import { unreachable } from '@ringfence/contract';
import {
  afterFailure,
  type Attempt,
  type Completion,
  type FailureReason,
  type Health,
  type LeasedAction,
  verdictOf,
} from '@ringfence/delivery';
import type { AttemptTranscript } from './attempt-transcript.ts';
import { keptBodyBytesMax } from './bounds.ts';
import type { Sent } from './transport/transport.ts';

/** A finished attempt. */
export interface EndedAttempt {
  readonly lease: Pick<LeasedAction, 'action' | 'round' | 'roundNotExecuted'>;
  readonly sent: Sent;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The machine's wall clock at the end: a `Retry-After` may name an instant. */
  readonly machineMs: number;
}

export interface Judgement {
  readonly result: Attempt['result'];
  readonly reason: FailureReason | undefined;
  readonly health: Health | undefined;
  readonly next: Completion['next'];
  readonly transcript: AttemptTranscript;
}

export interface JudgeOptions {
  /** Retry when the answer is code 0. */
  readonly retryNotExecuted: boolean;
  /** In [0, 1). */
  readonly jitter: number;
}

/** What an attempt means for its action and for its endpoint. */
export function judgeAttempt(ended: EndedAttempt, options: JudgeOptions): Judgement {
  const { sent, startedAtMs, endedAtMs, machineMs } = ended;
  const reading = readSent(sent, machineMs);
  return {
    result: reading.result,
    reason: reading.reason,
    health: reading.health && { kind: reading.health, startedAtMs, endedAtMs },
    next: nextOf(reading, ended, options),
    transcript: transcriptOf(sent, reading.message),
  };
}

interface Reading {
  readonly result: Attempt['result'];
  readonly reason: FailureReason | undefined;
  readonly health: Health['kind'] | undefined;
  readonly message?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly overloaded?: boolean;
}

function readSent(sent: Sent, machineMs: number): Reading {
  if (sent.kind === 'failure') {
    // A request that this process aborted is no evidence about the endpoint.
    return { result: 'failed', reason: sent.reason, health: sent.reason === 'interrupted' ? undefined : 'failed' };
  }
  const verdict = verdictOf({ ...sent, retryAfter: sent.headers['retry-after'] }, machineMs);
  switch (verdict.kind) {
    case 'executed':
    case 'notExecuted':
      return { result: verdict.kind, reason: undefined, health: 'answered', message: verdict.message };
    case 'retry':
      return { ...verdict, result: 'failed', health: 'failed' };
    default:
      return unreachable(verdict);
  }
}

function nextOf(reading: Reading, { lease, endedAtMs }: EndedAttempt, options: JudgeOptions): Completion['next'] {
  const { result, retryAfterMs, overloaded = false } = reading;
  if (result === 'executed') return { state: 'executed' };
  const notExecuted = result === 'notExecuted';
  if (notExecuted && !options.retryNotExecuted) return { state: 'notExecuted' };
  const { action, round, roundNotExecuted } = lease;
  const next = afterFailure({
    action,
    attempt: round + 1,
    jitter: options.jitter,
    notExecuted,
    notExecutedBefore: roundNotExecuted,
    retryAfterMs,
    overloaded,
  });
  if (next.kind === 'wait') return { state: 'due', dueAtMs: endedAtMs + next.delayMs };
  return { state: notExecuted ? 'notExecuted' : 'dead' };
}

function transcriptOf(sent: Sent, message: string | undefined): AttemptTranscript {
  const { address } = sent.connection;
  return {
    ...(address === undefined ? {} : { address }),
    ...(message === undefined ? {} : { message }),
    ...(sent.kind === 'failure'
      ? { error: sent.detail }
      : { headers: keptHeaders(sent.headers), body: keptBody(sent.body) }),
  };
}

/** Headers that help to diagnose a failure, truncated; the others are private to the client. */
const headersKept = ['content-type', 'content-length', 'date', 'location', 'retry-after', 'server', 'via'] as const;
const headerLengthMax = 256;

function keptHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headersKept.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value.slice(0, headerLengthMax)]];
    }),
  );
}

function keptBody(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, keptBodyBytesMax)).toString();
}
