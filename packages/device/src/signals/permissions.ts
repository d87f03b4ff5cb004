import type { About, ValueSchema } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'persistent-storage'] as const;
const states = ['granted', 'denied', 'prompt'] as const;
const state: ValueSchema = { type: 'string', enum: states };

export const about: About = {
  what: 'The permissions of the page, as far as the browser reports them. The person is not prompted.',
  purpose: 'A browser that has been used for a while differs from a fresh one; headless browsers deny everything.',
  stability: 'setting',
  schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, state])) },
  source: 'https://www.w3.org/TR/permissions/',
};

export async function permissions(): Promise<Signal<Readonly<Record<string, string>>>> {
  const manager = navigator.permissions;
  if (manager === undefined) return unsupported;
  const value: Record<string, string> = {};
  const ask = async (name: string): Promise<void> => {
    value[name] = (await manager.query({ name: name as PermissionName })).state;
  };
  const answers = await Promise.allSettled(names.map(ask)); // a browser rejects names that it does not know
  return answers.every(({ status }) => status === 'rejected') ? { absent: 'failed' } : { value };
}
