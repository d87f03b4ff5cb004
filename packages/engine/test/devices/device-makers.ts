import type { Enrichment } from '@ringfence/contract';
import { components } from '../../src/devices/components.ts';

/** A number for each component, as ingest would compute it for a device with this seed. */
export function traitsOf(seed: string, changed: Readonly<Record<string, string>> = {}): string {
  return components.map(({ name }) => `${name}:${hashOf(`${name} ${changed[name] ?? seed}`)}`).join(' ');
}

function hashOf(text: string): string {
  let hash = 7;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return (hash || 1).toString(36);
}

export interface Shown {
  readonly nonce: string;
  readonly id?: string;
  readonly key?: string;
  readonly fresh?: boolean;
  readonly unprovedId?: string;
  readonly components?: string;
  readonly more?: Enrichment['facts'];
}

/** The facts that ingest finds in a token in state `present`. */
export function tokenFacts({
  nonce,
  id,
  key,
  fresh,
  unprovedId,
  components: traits,
  more,
}: Shown): Enrichment['facts'] {
  return {
    'device.state': 'present',
    'device.nonce': nonce,
    ...(id === undefined ? {} : { 'device.id': id, 'device.key': key ?? 'key', 'device.idFresh': fresh ?? false }),
    ...(unprovedId === undefined ? {} : { 'device.unprovedId': unprovedId }),
    ...(traits === undefined ? {} : { 'device.components': traits }),
    ...more,
  };
}
