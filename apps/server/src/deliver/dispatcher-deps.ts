import type { Deliveries, Outbox } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { WorkspaceRegistry } from '../tenancy/workspaces/workspace.ts';
import type { Clock } from './clock.ts';
import type { Transport } from './transport/transport.ts';

/** Dependencies of the dispatcher; created in the composition root. */
export interface DispatcherDeps {
  readonly outbox: Outbox & Pick<Deliveries, 'pauses' | 'endpoint'>;
  readonly registry: Pick<WorkspaceRegistry, 'byId' | 'all' | 'sendingKey' | 'onChange'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly transport: Transport;
  readonly clock: Clock;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  readonly metrics: DispatcherMetrics;
  readonly logger: DispatcherLogger;
}

export interface DispatcherMetrics {
  /** An attempt has ended; `result` is `executed`, `notExecuted`, or the reason of the failure. */
  attempted(attempt: { readonly result: string; readonly durationMs: number }): void;
}

/** The used part of a pino logger. Log ids, counts and codes only: never a body, a key or a client. */
export interface DispatcherLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
