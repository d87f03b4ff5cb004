import type { About } from '../reference/about.ts';
import { type Json, type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'How the device is connected, as estimated by the browser: kind, speed class, round trip in ms, Mbit/s, data saver.',
  purpose:
    'A phone on a mobile network differs from a rented server; a round trip of 0 is a known trait of automation.',
  stability: 'visit',
  schema: {
    type: 'object',
    properties: {
      type: { type: 'string', maxLength: 512 },
      effectiveType: { type: 'string', maxLength: 512 },
      rtt: { type: 'number', minimum: 0 },
      downlink: { type: 'number', minimum: 0 },
      saveData: { type: 'boolean' },
    },
  },
  source: 'https://wicg.github.io/netinfo/',
};

const members = ['type', 'effectiveType', 'rtt', 'downlink', 'saveData'] as const;

export function connection(): Signal<Json> {
  const information = (navigator as { readonly connection?: Readonly<Record<string, Json | undefined>> }).connection;
  if (information === undefined) return unsupported;
  const known = members.map((name) => [name, information[name]] as const).filter(([, value]) => value !== undefined);
  return { value: Object.fromEntries(known) as Json };
}
