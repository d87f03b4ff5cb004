import { clientKey, type ClientStatus, clientStatus, type EngineState, storedClientStatus } from '@ringfence/engine';
import type { Pool } from 'pg';
import { type LiveAnswer, type LiveQuestion, sessionRef } from '../records/live-status.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { PostgresEntityStates } from './entity-states/postgres-entity-states.ts';

/** What the answers are read from: the engine's memory, and the states of the clients that it has evicted. */
export interface LiveSource {
  readonly state: EngineState;
  readonly states: PostgresEntityStates;
  readonly pool: Pool;
  readonly workspace: Workspace;
  readonly nowMs: number;
}

/**
 * Answers from the engine's state. What is loaded for an answer is not supplied to the engine, which may load, change
 * and evict the same client meanwhile.
 */
export async function answerQuestions(
  source: LiveSource,
  questions: readonly LiveQuestion[],
): Promise<readonly LiveAnswer[]> {
  const statuses = await statusesOf(source, [...new Set(questions.map(({ subject }) => subject))]);
  return questions.map((question) => answerOf(source.workspace, question, statuses.get(question.subject)!));
}

async function statusesOf(
  { state, states, pool, nowMs }: LiveSource,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, ClientStatus>> {
  const at = Math.max(nowMs, state.logTimeMs);
  const statuses = new Map<string, ClientStatus>();
  const missing: string[] = [];
  for (const subject of subjects) {
    const status = clientStatus(state, subject, at);
    if (status === undefined) missing.push(subject);
    else statuses.set(subject, status);
  }
  if (missing.length === 0) return statuses;
  const loaded = await states.load(missing.map(clientKey), pool);
  for (const [place, subject] of missing.entries()) {
    // The engine may have loaded and changed it meanwhile.
    const status = clientStatus(state, subject, at) ?? storedClientStatus(loaded[place]?.bytes, subject, at);
    statuses.set(subject, status);
  }
  return statuses;
}

function answerOf(
  { secrets }: Workspace,
  { number, session, channelId }: LiveQuestion,
  { activeSessions, blockedUntilMs }: ClientStatus,
): LiveAnswer {
  const active = activeSessions.some(
    (one) => (channelId === undefined || one.channelId === channelId) && sessionRef(secrets.index, one.id) === session,
  );
  return { number, active, blockedUntilMs };
}
