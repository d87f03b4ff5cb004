import type { SecureContextOptions } from 'node:tls';
import type { MessagePort } from 'node:worker_threads';
import type { Cidr } from '@ringfence/delivery';
import type { ClientConfig } from 'pg';
import type { CountedMetric } from '../platform/observability/ingest-counts.ts';
import type { LoggedLine } from '../platform/observability/thread-logger.ts';
import type { MasterKeySource } from '../platform/secrets/master-keys.ts';
import type { IngestLimits } from './ingest-deps.ts';

/** A database whose workspaces' events a thread takes. */
export interface CellOfThread {
  readonly name: string;
  readonly database: ClientConfig;
}

/** The settings that the main thread sends to a thread that takes events. */
export interface IngestSettings {
  /** The home database. */
  readonly database: ClientConfig;
  /** The names of the further ones. */
  readonly further: readonly string[];
  readonly master: MasterKeySource;
  readonly home: string;
  readonly limits: Partial<IngestLimits>;
  readonly trustedProxies: readonly Cidr[];
  /** `undefined`: plain HTTP. */
  readonly tls: SecureContextOptions | undefined;
}

/** Where a thread listens. */
export interface ListenAt {
  readonly host: string;
  readonly port: number;
  /** Other threads listen on the same port. */
  readonly reusePort: boolean;
}

/** What the main thread asks a thread that takes events, with the type of the answer. */
export interface IngestAnswers {
  /** Whether events are stored, by open database. `why`: an error in its serializable form. */
  readonly storesEvents: Readonly<Record<string, { readonly well: boolean; readonly why?: unknown }>>;
  /** Milliseconds since it had current data on all workspaces and keys, by open database. */
  readonly registryAgeMs: Readonly<Record<string, number>>;
  /** When the oldest data were built that it looks addresses up in. */
  readonly networkDataAtMs: number;
  readonly counts: readonly CountedMetric[];
  /** It has now seen every change of workspaces and keys that was committed before. */
  readonly refreshed: true;
}

export type IngestQuestion = keyof IngestAnswers;

/** Messages from the main thread to a thread that takes events. */
export type ToIngestThread =
  /** The first message: until then the thread only loads its code. `engines`: a port to each deciding thread. */
  | { readonly kind: 'begin'; readonly settings: IngestSettings; readonly engines: readonly MessagePort[] }
  /** A further database is open: its events are taken from now on. */
  | { readonly kind: 'openCell'; readonly cell: CellOfThread; readonly engines: readonly MessagePort[] }
  | { readonly kind: 'listen'; readonly at: ListenAt }
  /** New connections use this certificate. */
  | { readonly kind: 'certificate'; readonly context: SecureContextOptions }
  | { readonly kind: 'asked'; readonly number: number; readonly question: IngestQuestion }
  /** `/readyz` answers 503 from now on. */
  | { readonly kind: 'announceStop' }
  | { readonly kind: 'stop' };

/** Messages from a thread that takes events to the main thread. */
export type FromIngestThread =
  | LoggedLine
  | { readonly kind: 'listening'; readonly port: number }
  /** The address cannot be bound. `code`: of the error. */
  | { readonly kind: 'notListening'; readonly code: string }
  /** It cannot begin. The parts of an `OperatorError`. */
  | { readonly kind: 'refused'; readonly message: string; readonly mend: string }
  | { readonly kind: 'answered'; readonly number: number; readonly answer: IngestAnswers[IngestQuestion] }
  /** `why`: an error in its serializable form. */
  | { readonly kind: 'notAnswered'; readonly number: number; readonly why: unknown };
