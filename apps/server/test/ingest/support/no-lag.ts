import type { IngestDeps } from '../../../src/ingest/ingest-deps.ts';

/** An engine that is never behind. */
export const noLag: IngestDeps['lag'] = { lagMs: () => 0, refusedSeconds: () => undefined };
