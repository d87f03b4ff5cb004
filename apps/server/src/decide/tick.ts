import type { LogEntry } from '@ringfence/log';

/** A record that says nothing but that time has passed. */
export const tick: LogEntry = { kind: 'tick', payload: Buffer.from('{}') };
