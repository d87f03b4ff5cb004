import { Problem } from '@ringfence/contract';
import { eventIdPlaceholder } from '@ringfence/policy/event-id-placeholder';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** Identifies an event within its workspace. */
export interface EventIdentity {
  readonly epoch: number;
  readonly offset: number;
}

type Tenant = Pick<Workspace, 'environment'>;

/** `evt_…` in production and `evt_test_…` in development, so that one is never taken for the other. */
export function eventId({ epoch, offset }: EventIdentity, { environment }: Tenant): string {
  return `${environment === 'production' ? 'evt_' : 'evt_test_'}${epoch}_${offset}`;
}

/** `{{event.id}}` in a message: the engine does not know the id, so it is filled in when the action is written. */
export function withEventId(message: string, id: string): string {
  return message.replaceAll(eventIdPlaceholder, id);
}

const form = /^evt_(?:test_)?(\d{1,15})_(\d{1,15})$/;

/** `undefined` for any other text, and for ids of the other environment. */
export function eventIdentity(id: string, tenant: Tenant): EventIdentity | undefined {
  const parts = form.exec(id);
  if (parts === null) return undefined;
  const identity = { epoch: Number(parts[1]), offset: Number(parts[2]) };
  return eventId(identity, tenant) === id ? identity : undefined;
}

/** @throws Problem `thing.unknown` for any other text, and for ids of the other environment */
export function parseEventId(id: string, tenant: Tenant): EventIdentity {
  const identity = eventIdentity(id, tenant);
  if (identity !== undefined) return identity;
  const example = eventId({ epoch: 1_790_000_000, offset: 42 }, tenant);
  throw new Problem(
    'thing.unknown',
    form.test(id)
      ? `"${id}" is of another environment; an event id of this one looks like ${example}.`
      : `"${id}" is not an event id; one looks like ${example}.`,
  );
}
