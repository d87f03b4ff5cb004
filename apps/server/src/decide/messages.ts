import type { StoredBlock } from '@ringfence/log';
import type { ClientConfig } from 'pg';
import type { AgedOut } from '../platform/observability/metrics.ts';
import type { MasterKeySource } from '../platform/secrets/master-keys.ts';
import type { Need } from './database-outage.ts';
import type { LiveAnswer, LiveQuestion } from '../records/live-status.ts';
import type { DecidedBatch, Where } from './host-deps.ts';

/** The settings that the main thread sends to the deciding thread. */
export interface ThreadSettings {
  readonly database: ClientConfig;
  readonly master: MasterKeySource;
  /** Names the process in the table of owners. */
  readonly process: string;
  /** Memory bound for the entities of a partition. */
  readonly residentBytesMax: number;
  /** Whether it starts the rounds of retention of this process. */
  readonly retains: boolean;
}

/** Messages between the worker thread and the main thread of a process. */
export type ToWorker =
  /** The first message: until then the thread only loads its code. */
  | { readonly kind: 'begin'; readonly settings: ThreadSettings }
  | { readonly kind: 'stop' }
  /** This process appended to a partition: faster than the database's notification. `block` has the records, if known. */
  | { readonly kind: 'appended'; readonly workspaceId: string; readonly end: number; readonly block?: StoredBlock }
  /** This process asks about clients of a workspace that it decides. */
  | { readonly kind: 'statusAsked'; readonly workspaceId: string; readonly questions: readonly LiveQuestion[] };

export type FromWorker =
  | ({ readonly kind: 'batch'; readonly workspaceId: string } & DecidedBatch)
  | { readonly kind: 'actionsDue' }
  | { readonly kind: 'statusAnswered'; readonly answers: readonly LiveAnswer[] }
  | { readonly kind: 'ready'; readonly workspaceId: string; readonly where: Where }
  /** `why`: an error in its serializable form. */
  | { readonly kind: 'missed'; readonly need: Need; readonly why: unknown }
  | { readonly kind: 'found'; readonly need: Need }
  /** The parts of an `OperatorError`. */
  | { readonly kind: 'outdated'; readonly message: string; readonly mend: string }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly message: string;
    }
  /** Retention removed data past its retention period. */
  | { readonly kind: 'removed'; readonly what: AgedOut; readonly count: number }
  | { readonly kind: 'delay'; readonly p99Ms: number; readonly maxMs: number };
