import type { EpochMs, NewerFormError } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { DecidedRecords } from '../platform/observability/metrics.ts';
import type { LineLogger } from '../platform/observability/thread-logger.ts';
import type { OperatorError } from '../platform/observability/operator-error.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { PolicyCache } from '../policies/policy-cache.ts';
import type { Need } from './database-outage.ts';
import type { ProcessorShares, ShareWeights } from './processor-shares.ts';
import type { Semaphore } from '../platform/semaphore.ts';

/** The result of a committed batch. */
export interface DecidedBatch extends DecidedRecords {
  readonly nextOffset: number;
}

/**
 * `here`: caught up and decided by this process; `paused`: waiting for a policy that passes the checks; `failing`:
 * failing repeatedly with an unexpected error; `elsewhere`: decided by another process.
 */
export type Where = 'here' | 'paused' | 'failing' | 'elsewhere';

/** What hosts report to the rest of the process. */
export interface HostReport {
  batch(workspaceId: string, done: DecidedBatch): void;
  /** Committed actions can be sent now. */
  actionsDue(): void;
  ready(workspaceId: string, where: Where): void;
  /** This process cannot decide, because the database cannot be reached. */
  missed(need: Need, why: unknown): void;
  /** The need is met again. */
  found(need: Need): void;
  /** A newer release has written data that this one cannot read: this process must end. Worded for people. */
  outdated(error: OperatorError): void;
}

export interface HostDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'append' | 'appendWith'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly policies: Pick<PolicyCache, 'policy' | 'exact'>;
  /** Memory bound for the entities of a partition. */
  readonly residentBytesMax: number;
  /** How the partitions of this thread share its processor. */
  readonly weights: ShareWeights;
  readonly now: () => EpochMs;
  readonly logger: LineLogger;
  readonly report: HostReport;
}

/** What one partition needs, including what all partitions of its process share. */
export interface PartitionDeps extends HostDeps {
  /** Bounds the number of runs that start at the same time. */
  readonly beginnings: Semaphore;
  readonly shares: ProcessorShares;
  /** How long an idle partition may sleep before it polls its log. */
  readonly idleMs: () => number;
  /**
   * Whether a newer release has used the database, which explains an unknown form. If so, it is reported and the
   * process ends.
   */
  readonly isOutdated: (error: NewerFormError) => Promise<boolean>;
}
