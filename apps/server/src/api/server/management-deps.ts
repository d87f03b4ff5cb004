import type { Cidr, Deliveries } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { FastifyPluginAsync } from 'fastify';
import type { Pool } from 'pg';
import type { OpenIdLogIn } from '../../access/accounts/open-id.ts';
import type { LogIns } from '../../access/accounts/log-ins.ts';
import type { Backtests } from '../../backtest/backtests/backtests.ts';
import type { LiveRooms } from '../../console/live/sse-hub.ts';
import type { TestTranscript } from '../../deliver/test-action.ts';
import type { SeenChannel } from '../../ingest/channel-sightings.ts';
import type { RefusedRow, RefusedTotal } from '../../ingest/refused-requests.ts';
import type { Backlog } from '../../platform/observability/backlog.ts';
import type { Senders } from '../../platform/http/client-address.ts';
import type { Inquiries } from '../../backtest/queries/queries.ts';
import type { AdminToken } from '../../platform/secrets/admin-token.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace, WorkspaceRegistry } from '../../tenancy/workspaces/workspace.ts';
import type { StoredEvents } from '../events/stored-events.ts';

/** What the management API stands on; made in the composition root. */
export interface ManagementDeps {
  readonly pool: Pool;
  readonly master: MasterKeys;
  readonly log: EventLog;
  readonly allowPrivateWebhooks: readonly Cidr[];
  /** `refresh` resolves when this process has seen every change that was committed before the call. */
  readonly registry: WorkspaceRegistry & { refresh(): Promise<void> };
  readonly subjects: SubjectKeys;
  readonly deliveries: Deliveries;
  readonly events: StoredEvents;
  readonly refused: RefusedReader;
  readonly channels: { list(workspaceId: string): Promise<readonly SeenChannel[]> };
  readonly admin: AdminToken;
  readonly logIns: Pick<LogIns, 'prove' | 'proveAgain' | 'countTry'>;
  /** Where people open the console, as the configuration says; `undefined`: wherever they ask for it. */
  readonly consoleOrigin: string | undefined;
  /** The OpenID provider by which people log in; `undefined`: none is configured. */
  readonly openId: OpenIdLogIn | undefined;
  /** Where the listener that takes events is bound; `undefined` until it is open. */
  readonly eventsUrl: () => string | undefined;
  readonly senders: Pick<Senders, 'addressOf'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** By which records are stamped: what is to be over at a time of the log is counted from it. */
  readonly logNow: () => number;
  readonly logger: ManagementLogger;
  /** Erases a client for good. Answers whether it was known. */
  readonly erase: (workspace: Workspace, client: string) => Promise<boolean>;
  readonly sendTest: (workspace: Workspace) => Promise<TestTranscript>;
  readonly backtests: Pick<Backtests, 'start'>;
  /** Questions about the log that take a while. */
  readonly inquiries: Pick<Inquiries, 'begin'>;
  readonly backlogs: () => Promise<readonly Backlog[]>;
  /** Actions that are still moving, by state. */
  readonly queued: () => Promise<ReadonlyMap<string, number>>;
  /** Pages that are open. */
  readonly live: Pick<LiveRooms, 'enter' | 'close'>;
  /** Health and metrics, which need no token. */
  readonly plugins: readonly FastifyPluginAsync[];
}

export interface ManagementLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Requests that the door refused, as kept for 7 days. */
export interface RefusedReader {
  list(
    workspaceId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly RefusedRow[]>;
  counts(workspaceId: string): Promise<readonly RefusedTotal[]>;
}
