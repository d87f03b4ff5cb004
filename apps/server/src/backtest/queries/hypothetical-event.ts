import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import {
  clientOf,
  type DoorFacts,
  type Event,
  type EventKind,
  parseEvent,
  parseJson,
  Problem,
  timeZone,
} from '@ringfence/contract';
import type { EventRecord } from '@ringfence/engine';
import { exactJson } from '../../records/exact-json.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { mergePatch } from '../../tenancy/workspaces/merge-patch.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** An event as it came, and what is to be otherwise. */
export interface Supposed {
  readonly kind: EventKind;
  readonly bodyText: string;
  readonly facts: DoorFacts['facts'];
  /** A merge patch of the body (RFC 7396), as JSON: a value would lose digits of its numbers on its way into a thread. */
  readonly edits: string;
}

/** @throws Problem `event.invalid` for an event that the door would refuse */
export function parseSupposed(
  workspace: Workspace,
  { kind, bodyText, facts, edits }: Supposed,
): { readonly event: Event; readonly door: DoorFacts } {
  const text = JSON.stringify(mergePatch(exactJson(bodyText), exactJson(edits)));
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

/**
 * The same as the engine takes it, but for its place: of a body that never came, so it repeats none.
 *
 * @throws Problem `event.invalid` for an event that the door would refuse
 */
export async function supposedRecord(
  { subjects }: { readonly subjects: Pick<SubjectKeys, 'find'> },
  workspace: Workspace,
  supposed: Supposed,
): Promise<Omit<EventRecord, 'offset' | 'logTimeMs'>> {
  const parsed = parseSupposed(workspace, supposed);
  const client = clientOf(parsed.event);
  // A client that was never heard of has no id; this one has nothing kept under it.
  const subject = client === undefined ? undefined : ((await subjects.find(workspace, client)) ?? randomId(16));
  return { kind: 'event', ...parsed, subject, bodyHash: randomUUID(), retryOf: undefined };
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
