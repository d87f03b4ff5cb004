import { randomInt, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import {
  clientOf,
  type DoorFacts,
  type EpochMs,
  type Event,
  type EventKind,
  parseEvent,
  parseJson,
  Problem,
  timeZone,
} from '@ringfence/contract';
import {
  type Action,
  type Decision,
  type Effect,
  type EngineState,
  type ExplainedRule,
  explainLast,
  readHead,
  restoreState,
  step,
  supply,
} from '@ringfence/engine';
import type { Pool } from 'pg';
import { EntityStates } from '../host/entity-states.ts';
import { readFound } from '../host/partition-records.ts';
import { PolicyCache } from '../host/policy-cache.ts';
import { exactJson } from '../management/exact-json.ts';
import { randomId } from '../secrets/random-id.ts';
import type { SubjectKeys } from '../subjects/subject-keys.ts';
import { mergePatch } from '../workspaces/merge-patch.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** The engine asks at most three times for one record. */
const roundsMax = 4;

interface WhatIfDeps {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'find'>;
  readonly now: () => number;
}

/** An event as it came, and what is to be otherwise. */
export interface Supposed {
  readonly kind: EventKind;
  readonly bodyText: string;
  readonly facts: DoorFacts['facts'];
  /** A merge patch of the body (RFC 7396). */
  readonly edits: unknown;
}

export interface WhatIf {
  readonly decision: Decision;
  readonly actions: readonly Action[];
  /** Rules for this kind of event that would not fire, and why. */
  readonly unmatched: readonly ExplainedRule[];
}

/**
 * What the engine that decides live would decide, by the policy that decides live, if an event came now with some of its
 * values otherwise: on the state of the last checkpoint, which is some seconds old. Nothing is kept, and nothing is sent.
 *
 * @throws Problem `event.invalid` for an event that the door would refuse, `state.conflict` before the first checkpoint
 */
export async function whatIf(deps: WhatIfDeps, workspace: Workspace, supposed: Supposed): Promise<WhatIf> {
  const { pool, subjects, now } = deps;
  const parsed = parseSupposed(workspace, supposed);
  const client = clientOf(parsed.event);
  // A client that was never heard of has no id; this one has nothing kept under it.
  const subject = client === undefined ? undefined : ((await subjects.find(workspace, client)) ?? randomId(16));
  const states = new EntityStates(workspace, 'entity_state');
  const state = await restoreLast(pool, workspace, states);
  const record = {
    kind: 'event',
    offset: state.offset + 1,
    logTimeMs: Math.max(now(), state.logTimeMs) as EpochMs,
    ...parsed,
    subject,
    // Of a body that never came: it repeats none.
    bodyHash: randomUUID(),
    retryOf: undefined,
  } as const;
  const settings = { ...state.settings, sessionGraceMs: 0 };
  state.settings = settings;
  let unmatched: readonly ExplainedRule[] = [];
  state.onDecided = (decision) => {
    if (decision.offset === record.offset) unmatched = unfired(state, decision);
  };
  const effects = await stepped(state, record, (keys) => states.load(pool, keys));
  const own = effects.filter((effect) => effect.offset === record.offset);
  const decision = own.find((effect) => effect.kind === 'decision');
  if (decision === undefined)
    throw new Problem('state.conflict', 'The engine would wait for the login of this operation.');
  return { decision, actions: own.filter((effect) => effect.kind === 'action'), unmatched };
}

/** Rules that did not fire on the event that was just decided, and why. */
function unfired(state: EngineState, decision: Decision): readonly ExplainedRule[] {
  const fired = new Set(decision.fired.map(({ reason }) => reason));
  return explainLast(state, decision).filter(({ rule }) => !fired.has(rule.reason));
}

function parseSupposed(
  workspace: Workspace,
  { kind, bodyText, facts, edits }: Supposed,
): { readonly event: Event; readonly door: DoorFacts } {
  const text = JSON.stringify(mergePatch(exactJson(bodyText), edits));
  const json = parseJson(Buffer.from(text));
  if (!json.ok) throw new Problem('json.malformed', json.error.detail, { errors: [json.error] });
  const zone = timeZone(workspace.settings.timezone) ?? timeZone('UTC')!;
  // A card's hash stands in the stored body as it was replaced when it came.
  const parsed = parseEvent(kind, json, { cards: 'mask', zone, hashCard: (hash) => hash });
  if (!parsed.ok) {
    throw new Problem('event.invalid', 'The event with these edits would be refused.', { errors: parsed.errors });
  }
  const { event, statedAtMs } = parsed;
  return {
    event,
    door: { facts: factsOf(event, facts, bodyText), ...(statedAtMs === undefined ? {} : { statedAtMs }) },
  };
}

/** What the door found out then. Of another address nothing but its form is known; a device token is good once more. */
function factsOf(event: Event, facts: DoorFacts['facts'], bodyText: string): DoorFacts['facts'] {
  if (event.kind === 'operation') return facts;
  const before = (JSON.parse(bodyText) as { readonly publicIp?: unknown }).publicIp;
  const nonce = facts['device.nonce'] === undefined ? {} : { 'device.nonce': randomId(32) };
  const { publicIp } = event;
  if (publicIp === before) return { ...facts, ...nonce };
  const others = Object.entries(facts).filter(([path]) => !path.startsWith('ip.'));
  const address = publicIp === undefined ? {} : { 'ip.valid': isIP(publicIp) !== 0 };
  return { ...Object.fromEntries(others), ...nonce, ...address };
}

async function restoreLast(pool: Pool, workspace: Workspace, states: EntityStates): Promise<EngineState> {
  const { checkpoint } = await readFound(pool, workspace.id);
  if (checkpoint === undefined) {
    throw new Problem('state.conflict', 'The engine has not written its state yet. Ask again in some seconds.');
  }
  const globals = states.openState(checkpoint.state);
  const { policyVersion } = readHead(globals);
  const policy = policyVersion === 0 ? undefined : await new PolicyCache(pool).policy(workspace.id, policyVersion);
  const hashKey = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;
  return restoreState(globals, policy, { complete: await states.isEmpty(pool), hashKey });
}

async function stepped(
  state: EngineState,
  record: Parameters<typeof step>[1],
  load: (keys: readonly string[]) => Promise<Parameters<typeof supply>[1]>,
): Promise<readonly Effect[]> {
  for (let round = 0; round < roundsMax; round++) {
    const done = step(state, record);
    if (done.kind === 'done') return done.effects;
    supply(state, await load(done.keys));
  }
  throw new Problem('state.conflict', 'The engine asks for more than it should. Ask again in some seconds.');
}
