import type { EventLog } from '@ringfence/log';
import type { FastifyPluginAsync } from 'fastify';
import type { AcceptedOutcome, NewOutcome } from '../outcomes/accept-outcome.ts';
import type { NetworkSource } from './networks/network-source.ts';
import type { LogHealth } from '../platform/observability/log-health.ts';
import type { ClientAddresses } from '../platform/http/client-address.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { StatusSource } from './status/read-status.ts';
import type { EngineLag } from './lag/engine-lag.ts';
import type { WaitingRoom } from './wait/waiting-room.ts';
import type { Workspace, WorkspaceRegistry } from '../tenancy/workspaces/workspace.ts';
import type { RefusedRequest } from './refused-request.ts';

/** What the requests of the workspaces of one database are answered from. */
export interface IngestCell {
  readonly registry: Pick<WorkspaceRegistry, 'authenticate'>;
  readonly subjects: Pick<SubjectKeys, 'ofClient' | 'generation' | 'refresh'>;
  readonly log: Pick<EventLog, 'append' | 'read'>;
  /** Stores the report of an outcome. */
  readonly acceptOutcome: (workspace: Workspace, outcome: NewOutcome) => Promise<AcceptedOutcome>;
  /** Records a refused request. Never throws, never waits. */
  readonly refused: { note(refused: RefusedRequest): void };
  /** Records whether the log stored or refused events. */
  readonly logHealth: Pick<LogHealth, 'stored' | 'refused'>;
  /** Where requests wait for their decision; closed when the listener starts to close. */
  readonly decisions: Pick<WaitingRoom, 'wait' | 'close'>;
  /** How far the engine is behind each workspace. */
  readonly lag: Pick<EngineLag, 'lagMs' | 'refusedSeconds'>;
  /** Where the status of events, sessions and clients is read. */
  readonly status: StatusSource;
}

/** The dependencies of the ingest listener, built in the composition root; by themselves those of the home database. */
export interface IngestDeps extends IngestCell {
  /** The further databases that are open; absent: none. */
  readonly further?: () => readonly IngestCell[];
  /** Whether every database is open; absent: yes. Otherwise an unknown key may be of another one. */
  readonly isWhole?: () => boolean;
  /** Looks where a workspace lies now that was moved, beside the database that no longer takes its events. */
  readonly findMoved?: (
    workspaceId: string,
    from: IngestCell,
  ) => Promise<{ readonly workspace: Workspace; readonly cell: IngestCell } | undefined>;
  /** The data that IP addresses are looked up in. */
  readonly networks: Pick<NetworkSource, 'current'>;
  readonly senders: Pick<ClientAddresses, 'addressOf' | 'isProxy'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Makes the id of a request that was sent without one. */
  readonly makeRequestId: () => string;
  readonly logger: IngestLogger;
  readonly metrics: IngestMetrics;
  /** Further routes of the public listener, such as health. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Overrides of `ingestLimits`: from the configuration, or shorter ones for tests. */
  readonly limits?: Partial<IngestLimits>;
}

export interface IngestLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface IngestMetrics {
  /** A request was answered. `route` is `login`, `logout`, `operation`, `outcome`, `status` or `other`. */
  answered(answer: { readonly route: string; readonly status: number; readonly durationMs: number }): void;
  /** How long the log took to make one event durable. */
  appended(durationMs: number): void;
  /** An event was refused because the engine is further behind than the workspace's `lagMax`. */
  refusedForLag(workspaceId: string): void;
  /** A connection was closed because its address has too many. */
  connectionRefused(): void;
}

export interface IngestLimits {
  /** Deadline for all headers; also closes connections that send nothing. */
  readonly headersMs: number;
  /** Deadline for the whole request. */
  readonly requestMs: number;
  /** Interval at which connections are checked against the deadlines. */
  readonly checkMs: number;
  /**
   * How long an idle connection is kept open: longer than load balancers keep theirs (60 s), so that they close first.
   */
  readonly keepAliveMs: number;
  /** On shutdown, how long unfinished connections may run before they are cut. A slow sender must not delay a stop. */
  readonly drainMs: number;
  readonly bodyBytesMax: number;
  /** How long a request waits while its workspace is moved to another database. A move pauses it for less. */
  readonly movingMs: number;
  /** Maximum open connections per address. */
  readonly connectionsPerAddressMax: number;
  /** Maximum open connections of all addresses together. */
  readonly connectionsMax: number;
  /** Wrong license keys per address that are answered 401: the burst, and the rate per minute. Further ones get 429. */
  readonly wrongKeysPerMinute: number;
}

export const ingestLimits: IngestLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkMs: 1_000,
  keepAliveMs: 72_000,
  drainMs: 3_000,
  bodyBytesMax: 64 * 1024,
  movingMs: 5_000,
  // A backend that reports 500 events/s while the database hangs for 4 s; at 80 KiB each, 160 MB.
  connectionsPerAddressMax: 2_000,
  // Five such backends; 800 MB. Behind it the open files of the process would run out.
  connectionsMax: 10_000,
  wrongKeysPerMinute: 20,
};
