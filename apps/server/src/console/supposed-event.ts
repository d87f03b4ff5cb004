import { isIP } from 'node:net';
import {
  type DoorFacts,
  type Event,
  type EventKind,
  parseEvent,
  parseJson,
  Problem,
  timeZone,
} from '@ringfence/contract';
import { exactJson } from '../management/exact-json.ts';
import { randomId } from '../secrets/random-id.ts';
import { mergePatch } from '../workspaces/merge-patch.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** An event as it came, and what is to be otherwise. */
export interface Supposed {
  readonly kind: EventKind;
  readonly bodyText: string;
  readonly facts: DoorFacts['facts'];
  /** A merge patch of the body (RFC 7396). */
  readonly edits: unknown;
}

/** @throws Problem `event.invalid` for an event that the door would refuse */
export function parseSupposed(
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
