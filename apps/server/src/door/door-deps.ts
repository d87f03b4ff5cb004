import type { EventLog } from '@ringfence/log';
import type { FastifyPluginAsync } from 'fastify';
import type { SubjectKeys } from '../subjects/subject-keys.ts';
import type { WorkspaceRegistry } from '../workspaces/workspace.ts';
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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Gives a request its id when its sender gave none. */
  readonly makeRequestId: () => string;
  readonly logger: DoorLogger;
  readonly metrics: DoorMetrics;
  /** Further routes of the public listener: health. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Shorter limits for tests. */
  readonly limits?: Partial<DoorLimits>;
}

export interface ChannelNote {
  readonly workspaceId: string;
  readonly channelId: number;
  readonly configured: boolean;
  readonly atMs: number;
}

export interface DoorLogger {
  error(fields: object, message: string): void;
}

export interface DoorMetrics {
  /** A request was answered. `route` is `login`, `logout`, `operation` or `other`. */
  answered(answer: { readonly route: string; readonly status: number; readonly durationMs: number }): void;
  /** How long the log took to make one event durable. */
  appended(durationMs: number): void;
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
}

export const doorLimits: DoorLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkMs: 1_000,
  keepAliveMs: 72_000,
  drainMs: 3_000,
  bodyBytesMax: 64 * 1024,
};
