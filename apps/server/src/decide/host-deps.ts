import type { EpochMs, NewerFormError } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { DecidedRecords } from '../platform/observability/metrics.ts';
import type { OperatorError } from '../platform/observability/operator-error.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { PolicyCache } from '../policies/policy-cache.ts';
import type { Need } from './database-outage.ts';
import type { Turns } from '../platform/semaphore.ts';

/** What came of a batch that was committed. */
export interface DecidedBatch extends DecidedRecords {
  readonly nextOffset: number;
}

/**
 * Decided up to date here; waiting for a policy that checks; failing again and again by something that nobody expects; or
 * somebody else's to decide.
 */
export type Where = 'here' | 'paused' | 'failing' | 'elsewhere';

/** What hosts tell the rest of the process. */
export interface HostReport {
  batch(workspaceId: string, done: DecidedBatch): void;
  /** Actions were committed that can be sent now. */
  actionsDue(): void;
  ready(workspaceId: string, where: Where): void;
  /** Nothing can be decided in this process, because the database cannot be reached. */
  missed(need: Need, why: unknown): void;
  /** It goes on. */
  found(need: Need): void;
  /** A newer release has written what this one cannot read: this process has to end. In words for people. */
  outdated(error: OperatorError): void;
}

export interface HostLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface HostDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'append'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly policies: Pick<PolicyCache, 'policy' | 'exact'>;
  /** Memory that the entities of a partition may take. */
  readonly residentBytesMax: number;
  readonly now: () => EpochMs;
  readonly logger: HostLogger;
  readonly report: HostReport;
}

/** What one partition needs, with what those of its process share. */
export interface PartitionDeps extends HostDeps {
  /** Lives that begin at the same time. */
  readonly beginnings: Turns;
  /** How long a partition for which nothing comes may sleep until it looks into its log. */
  readonly idleMs: () => number;
  /**
   * Whether a newer release was here, which explains a form that is not known. It is told then, and the process ends.
   */
  readonly isOutdated: (error: NewerFormError) => Promise<boolean>;
}
