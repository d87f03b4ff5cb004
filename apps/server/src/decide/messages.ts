import type { MessagePort } from 'node:worker_threads';
import type { StoredBlock } from '@ringfence/log';
import type { DatabaseConnection } from '../platform/database/event-log.ts';
import type { AgedOut, DecidedRecords } from '../platform/observability/metrics.ts';
import type { LoggedLine } from '../platform/observability/thread-logger.ts';
import type { DecidedNotice } from '../records/decided-notice.ts';
import type { MasterKeySource } from '../platform/secrets/master-keys.ts';
import type { Need } from './database-outage.ts';
import type { LiveAnswer, LiveQuestion } from '../records/live-status.ts';
import type { ShareWeights } from './processor-shares.ts';
import type { Where } from './host-deps.ts';

/** The settings that the main thread sends to the deciding thread. */
export interface ThreadSettings {
  readonly database: DatabaseConnection;
  readonly master: MasterKeySource;
  /** Names the process in the table of owners. */
  readonly process: string;
  /** Memory bound for the entities of a partition. */
  readonly residentBytesMax: number;
  /** How the partitions of this thread share its processor. */
  readonly weights: ShareWeights;
  /** Whether it starts the rounds of retention of this process. */
  readonly retains: boolean;
}

/** Messages from the main thread to a deciding thread. */
export type ToWorker =
  /**
   * The first message: until then the thread only loads its code. `ingest`: a port to each thread that takes events.
   */
  | { readonly kind: 'begin'; readonly settings: ThreadSettings; readonly ingest: readonly MessagePort[] }
  | { readonly kind: 'stop' };

/** What a deciding thread tells of itself, to every thread that asks for its health. */
export type ToldCondition =
  | { readonly kind: 'ready'; readonly workspaceId: string; readonly where: Where }
  /** `why`: an error in its serializable form. */
  | { readonly kind: 'missed'; readonly need: Need; readonly why: unknown }
  | { readonly kind: 'found'; readonly need: Need };

/** Messages from a deciding thread to the main thread. */
export type FromWorker =
  | ToldCondition
  | LoggedLine
  /** The sum of the batches since the last message. */
  | ({ readonly kind: 'decided'; readonly workspaceId: string } & DecidedRecords)
  | { readonly kind: 'actionsDue' }
  /** The parts of an `OperatorError`. */
  | { readonly kind: 'outdated'; readonly message: string; readonly mend: string }
  /** Retention removed data past its retention period. */
  | { readonly kind: 'removed'; readonly what: AgedOut; readonly count: number }
  | { readonly kind: 'delay'; readonly p99Ms: number; readonly maxMs: number };

/** Messages from a thread that takes events to a deciding thread, on the port between the two. */
export type FromIngest =
  /** It appended these records to a partition that the thread decides. */
  | { readonly kind: 'appended'; readonly workspaceId: string; readonly end: number; readonly block: StoredBlock }
  /** It asks about clients of a workspace that the thread decides. */
  | { readonly kind: 'statusAsked'; readonly workspaceId: string; readonly questions: readonly LiveQuestion[] };

/** Messages in the other direction. */
export type ToIngest =
  | ToldCondition
  /** Decisions were committed. */
  | ({ readonly kind: 'decided' } & DecidedNotice)
  | { readonly kind: 'statusAnswered'; readonly answers: readonly LiveAnswer[] };
