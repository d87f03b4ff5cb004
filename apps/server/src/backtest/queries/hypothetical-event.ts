import { randomUUID } from 'node:crypto';
import {
  clientOf,
  type Enrichment,
  type Event,
  type EventKind,
  parseEvent,
  parseJson,
  Problem,
  timeZone,
  canonicalAddress,
  parseIpAddress,
} from '@ringfence/contract';
import type { EventRecord } from '@ringfence/engine';
import { exactJson } from '../../records/exact-json.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { mergePatch } from '../../tenancy/workspaces/merge-patch.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** A stored event, and changes to it. */
export interface HypotheticalEvent {
  readonly kind: EventKind;
  readonly bodyText: string;
  readonly facts: Enrichment['facts'];
  /**
   * A merge patch of the body (RFC 7396), as JSON text: a parsed value would lose digits when it is passed to a thread.
   */
  readonly edits: string;
}

/** @throws Problem `event.invalid` for an event that ingest would refuse */
export function parseHypotheticalEvent(
  workspace: Workspace,
  { kind, bodyText, facts, edits }: HypotheticalEvent,
): { readonly event: Event; readonly enrichment: Enrichment } {
  const text = JSON.stringify(mergePatch(exactJson(bodyText), exactJson(edits)));
  const json = parseJson(Buffer.from(text));
  if (!json.ok) throw new Problem('json.malformed', json.error.detail, { errors: [json.error] });
  const zone = timeZone(workspace.settings.timezone) ?? timeZone('UTC')!;
  // The stored body contains the card's hash as ingest replaced it.
  const parsed = parseEvent(kind, json, { cards: workspace.settings.cards, zone, hashCard: (hash) => hash });
  if (!parsed.ok) {
    throw new Problem('event.invalid', 'Ingest would refuse the event with these changes.', { errors: parsed.errors });
  }
  const { event, statedAtMs } = parsed;
  return {
    event,
    enrichment: { facts: factsOf(event, facts, bodyText), ...(statedAtMs === undefined ? {} : { statedAtMs }) },
  };
}

/**
 * The same event as a record for the engine, except for its offset. Its body never arrived, so it repeats no event.
 *
 * @throws Problem `event.invalid` for an event that ingest would refuse
 */
export async function hypotheticalRecord(
  { subjects }: { readonly subjects: Pick<SubjectKeys, 'find'> },
  workspace: Workspace,
  supposed: HypotheticalEvent,
): Promise<Omit<EventRecord, 'offset' | 'logTimeMs'>> {
  const parsed = parseHypotheticalEvent(workspace, supposed);
  const client = clientOf(parsed.event);
  // An unknown client has no id; this placeholder has no stored data.
  const subject = client === undefined ? undefined : ((await subjects.find(workspace, client)) ?? randomId(16));
  return { kind: 'event', ...parsed, subject, bodyHash: randomUUID(), retryOf: undefined };
}

/**
 * The enrichment of the original event. Of a changed address only its validity is known; a device token counts as valid
 * again.
 */
function factsOf(event: Event, facts: Enrichment['facts'], bodyText: string): Enrichment['facts'] {
  if (event.kind === 'operation') return facts;
  const before = (JSON.parse(bodyText) as { readonly publicIp?: unknown }).publicIp;
  const nonce = facts['device.nonce'] === undefined ? {} : { 'device.nonce': randomId(32) };
  const { publicIp } = event;
  if (publicIp === before || (typeof before === 'string' && publicIp === canonicalAddress(before)))
    return { ...facts, ...nonce };
  const others = Object.entries(facts).filter(([path]) => !path.startsWith('ip.'));
  const address = publicIp === undefined ? {} : { 'ip.valid': parseIpAddress(publicIp) !== undefined };
  return { ...Object.fromEntries(others), ...nonce, ...address };
}
