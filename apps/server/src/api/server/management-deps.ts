import type { AllowedRange, Deliveries } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { FastifyPluginAsync } from 'fastify';
import type { Pool } from 'pg';
import type { OfCell } from '../../platform/database/cell.ts';
import type { OpenIdLogIn } from '../../access/accounts/open-id.ts';
import type { LogIns } from '../../access/accounts/log-ins.ts';
import type { Backtests } from '../../backtest/backtests/backtests.ts';
import type { SseHub } from '../../console/live/sse-hub.ts';
import type { TestTranscript } from '../../deliver/test-action.ts';
import type { Notify } from '../../notify/open-notify.ts';
import type { PolicyWorkers } from '../../policies/policy-workers.ts';
import type { RefusedRow, RefusedTotal } from '../../ingest/refused-requests.ts';
import type { LiveStatus } from '../../ingest/status/live-status.ts';
import type { Backlog } from '../../platform/observability/backlog.ts';
import type { ClientAddresses } from '../../platform/http/client-address.ts';
import type { Queries } from '../../backtest/queries/queries.ts';
import type { AdminToken } from '../../platform/secrets/admin-token.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace, WorkspaceRegistry } from '../../tenancy/workspaces/workspace.ts';
import type { StoredEvents } from '../events/stored-events.ts';

/** Dependencies of the management API; wired in the composition root. */
export interface ManagementDeps extends OfCell {
  readonly master: MasterKeys;
  readonly log: EventLog;
  readonly allowPrivateWebhooks: readonly AllowedRange[];
  /** `refresh` resolves when this process has seen every change that was committed before the call. */
  readonly registry: WorkspaceRegistry & { refresh(): Promise<void> };
  readonly subjects: SubjectKeys;
  readonly deliveries: Deliveries;
  readonly events: StoredEvents;
  /** Asks the engine that decides a workspace. */
  readonly liveStatus: Pick<LiveStatus, 'ask'>;
  readonly refused: RefusedReader;
  readonly admin: AdminToken;
  readonly logIns: Pick<LogIns, 'admit' | 'countFailure' | 'noteOpenId' | 'prove' | 'proveAgain' | 'countTry'>;
  /**
   * Origin under which people open the console, from the configuration; `undefined`: whatever the browser requested.
   */
  readonly consoleOrigin: string | undefined;
  /** The OpenID provider for log-ins; `undefined` if none is configured. */
  readonly openId: OpenIdLogIn | undefined;
  /** Address of the ingest listener; `undefined` until it is open. */
  readonly eventsUrl: () => string | undefined;
  readonly senders: Pick<ClientAddresses, 'addressOf' | 'isProxy'>;
  /** Maximum open connections of all addresses together. */
  readonly connectionsMax: number;
  /** A connection was refused because of a limit. */
  readonly connectionRefused: () => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The clock that stamps records. Deadlines in log time are computed from it. */
  readonly logNow: () => number;
  readonly logger: ManagementLogger;
  readonly sendTest: (workspace: Workspace) => Promise<TestTranscript>;
  readonly notify: Notify;
  readonly backtests: Pick<Backtests, 'start' | 'cancel' | 'train' | 'cancelTraining'>;
  /** Where policies are compiled. */
  readonly policyWorkers: Pick<PolicyWorkers, 'for'>;
  /** Long-running queries over the log. */
  readonly inquiries: Pick<Queries, 'begin'>;
  readonly backlogs: () => Promise<readonly Backlog[]>;
  /** Number of unfinished actions by state. */
  readonly queued: () => Promise<ReadonlyMap<string, number>>;
  /** Live connections of open console pages. */
  readonly live: Pick<SseHub, 'enter' | 'close'>;
  /** The databases of the installation; absent if it has one. */
  readonly cells?: ManagementCells;
  /** Health and metrics, which need no token. */
  readonly plugins: readonly FastifyPluginAsync[];
}

/** Several databases, by what is asked for. */
export interface ManagementCells {
  /** Of the database in which a workspace lies. */
  readonly ofWorkspace: (workspaceId: string) => ManagementDeps;
  /** @throws Problem `request.invalid` for an unknown name, `database.unavailable` */
  readonly named: (database: string) => ManagementDeps;
  readonly deliveries: () => readonly Deliveries[];
  /** Of the databases that are open, the home database first. */
  readonly pools: () => readonly Pool[];
  /** @throws Problem `database.unavailable` if the workspace lies in a database that cannot be reached */
  readonly explainAbsent: (workspace: string) => Promise<void>;
}

export interface ManagementLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Requests refused by the ingest listener; they are kept for 7 days. */
export interface RefusedReader {
  list(
    workspaceId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly RefusedRow[]>;
  counts(workspaceId: string): Promise<readonly RefusedTotal[]>;
}
