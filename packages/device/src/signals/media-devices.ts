import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'How many microphones, cameras and loudspeakers the browser reports without asking the person.',
  purpose: 'A phone has them; a rented server has none.',
  stability: 'visit',
  schema: {
    type: 'object',
    properties: {
      audioinput: { type: 'integer', minimum: 0 },
      videoinput: { type: 'integer', minimum: 0 },
      audiooutput: { type: 'integer', minimum: 0 },
    },
    required: ['audioinput', 'videoinput', 'audiooutput'],
  },
  source: 'https://developer.mozilla.org/docs/Web/API/MediaDevices/enumerateDevices',
};

export async function mediaDevices(): Promise<Signal<Readonly<Record<MediaDeviceKind, number>>>> {
  const devices = await navigator.mediaDevices?.enumerateDevices();
  if (devices === undefined) return unsupported;
  const value = { audioinput: 0, videoinput: 0, audiooutput: 0 };
  for (const { kind } of devices) value[kind]++;
  return { value };
}
