import type { StatusSource } from '../../../src/ingest/status/read-status.ts';

const notAsked = (): never => {
  throw new Error('this test asks for no status');
};

/** For tests that ask for no status. */
export const noStatus = {
  pool: { query: notAsked },
  rows: { find: notAsked },
  log: { read: notAsked },
  subjects: { bySubject: notAsked, find: notAsked },
  live: { ask: notAsked },
} as StatusSource;
