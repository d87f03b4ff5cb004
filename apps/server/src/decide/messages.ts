import type { ClientConfig } from 'pg';
import type { AgedOut } from '../platform/observability/metrics.ts';
import type { MasterKeySource } from '../platform/secrets/master-keys.ts';
import type { Need } from './database-outage.ts';
import type { DecidedBatch, Where } from './host-deps.ts';

/** What the main thread gives this one. */
export interface ThreadSettings {
  readonly database: ClientConfig;
  readonly master: MasterKeySource;
  /** Names the process in the table of owners. */
  readonly process: string;
  /** Memory that the entities of a partition may take. */
  readonly residentBytesMax: number;
}

/** What the worker thread and the main thread of a process tell each other about deciding. */
export type ToWorker =
  /** The first: until then the thread only loads its code. */
  | { readonly kind: 'begin'; readonly settings: ThreadSettings }
  | { readonly kind: 'stop' }
  /** This process appended to a partition: quicker than the database's own notice. */
  | { readonly kind: 'appended'; readonly workspaceId: string; readonly end: number };

export type FromWorker =
  | ({ readonly kind: 'batch'; readonly workspaceId: string } & DecidedBatch)
  | { readonly kind: 'actionsDue' }
  | { readonly kind: 'ready'; readonly workspaceId: string; readonly where: Where }
  /** `why`: an error, made plain. */
  | { readonly kind: 'missed'; readonly need: Need; readonly why: unknown }
  | { readonly kind: 'found'; readonly need: Need }
  /** For an error of the operator's. */
  | { readonly kind: 'outdated'; readonly message: string; readonly mend: string }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly message: string;
    }
  /** Retention removed what is older than it is kept. */
  | { readonly kind: 'removed'; readonly what: AgedOut; readonly count: number }
  | { readonly kind: 'delay'; readonly p99Ms: number; readonly maxMs: number };
