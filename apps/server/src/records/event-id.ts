import { Problem } from '@ringfence/contract';

/** Identifies an event within its workspace. */
export interface EventIdentity {
  readonly epoch: number;
  readonly offset: number;
}

export function eventId({ epoch, offset }: EventIdentity): string {
  return `evt_${epoch}_${offset}`;
}

/** @throws Problem `thing.unknown` for any other text */
export function parseEventId(id: string): EventIdentity {
  const parts = /^evt_(\d{1,15})_(\d{1,15})$/.exec(id);
  if (parts === null)
    throw new Problem('thing.unknown', `"${id}" is not an event id; one looks like evt_1790000000_42.`);
  return { epoch: Number(parts[1]), offset: Number(parts[2]) };
}
