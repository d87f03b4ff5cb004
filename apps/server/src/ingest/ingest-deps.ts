import type { EventLog } from '@ringfence/log';
import type { FastifyPluginAsync } from 'fastify';
import type { NetworkSource } from './networks/network-source.ts';
import type { LogHealth } from '../platform/observability/log-health.ts';
import type { Senders } from '../platform/http/client-address.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { WaitingRoom } from './wait/waiting-room.ts';
import type { WorkspaceRegistry } from '../tenancy/workspaces/workspace.ts';
import type { RefusedRequest } from './refused-request.ts';

/** What the door stands on; made in the composition root. */
export interface DoorDeps {
  readonly registry: Pick<WorkspaceRegistry, 'authenticate'>;
  readonly subjects: Pick<SubjectKeys, 'ofClient' | 'generation' | 'refresh'>;
  readonly log: Pick<EventLog, 'append' | 'read'>;
  /** Takes note of a refused request. Never throws, never waits. */
  readonly refused: { note(refused: RefusedRequest): void };
  /** Takes note of the channel of an accepted event. Never throws, never waits. */
  readonly channels: { note(sighting: ChannelNote): void };
  /** Is told what became of events at the log. */
  readonly logHealth: Pick<LogHealth, 'stored' | 'refused'>;
  /** Where requests wait that ask for their decision at once; closed when the door begins to close. */
  readonly decisions: Pick<WaitingRoom, 'wait' | 'close'>;
  /** What addresses are looked up in. */
  readonly networks: Pick<NetworkSource, 'current'>;
  readonly senders: Pick<Senders, 'addressOf' | 'isProxy'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Gives a request its id when its sender gave none. */
  readonly makeRequestId: () => string;
  readonly logger: DoorLogger;
  readonly metrics: DoorMetrics;
  /** Further routes of the public listener: health. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Other limits than `doorLimits`: of the configuration, or shorter ones for tests. */
  readonly limits?: Partial<DoorLimits>;
}

export interface ChannelNote {
  readonly workspaceId: string;
  readonly channelId: number;
  readonly configured: boolean;
  readonly atMs: number;
}

export interface DoorLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface DoorMetrics {
  /** A request was answered. `route` is `login`, `logout`, `operation` or `other`. */
  answered(answer: { readonly route: string; readonly status: number; readonly durationMs: number }): void;
  /** How long the log took to make one event durable. */
  appended(durationMs: number): void;
  /** A connection was closed because its address has too many. */
  connectionRefused(): void;
}

export interface DoorLimits {
  /** Until all headers must have arrived; also ends connections that send nothing. */
  readonly headersMs: number;
  /** Until the whole request must have arrived. */
  readonly requestMs: number;
  /** How often connections are looked at. */
  readonly checkMs: number;
  /** How long an idle connection is kept for the next request: longer than load balancers keep theirs (60 s), so that they close first. */
  readonly keepAliveMs: number;
  /** When the door closes: until connections that are not done are cut. Whoever sends slowly must not hold up a stop. */
  readonly drainMs: number;
  readonly bodyBytesMax: number;
  /** Open connections of one address. */
  readonly connectionsPerAddressMax: number;
  /** Wrong license keys of one address that are answered 401; at once, and in a minute. Further ones get 429. */
  readonly wrongKeysPerMinute: number;
}

export const doorLimits: DoorLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkMs: 1_000,
  keepAliveMs: 72_000,
  drainMs: 3_000,
  bodyBytesMax: 64 * 1024,
  // A backend that reports 500 events a second over a database that hangs for 4 s; at 80 KiB each, 160 MB.
  connectionsPerAddressMax: 2_000,
  wrongKeysPerMinute: 20,
};
