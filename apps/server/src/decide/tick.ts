import type { LogEntry } from '@ringfence/log';

/** A record that only states that time has passed. */
export const tick: LogEntry = { kind: 'tick', payload: Buffer.from('{}') };
