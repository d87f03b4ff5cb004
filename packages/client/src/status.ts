import { readLagSeconds, readVerdict } from './answer.ts';
import type { FiredRule, SuppressedAction } from './decision.ts';
import { limits } from './limits.ts';
import type { ResolvedOptions } from './options.ts';
import type { TransportAnswer } from './transport.ts';

/** An event by its id, or the newest operation of a user with this `transaction.reference`. */
export type AboutEvent = { readonly event: string } | { readonly user: string; readonly reference: string };

export interface AboutSession {
  readonly user: string;
  /** "" is the unnamed session. */
  readonly session: string;
  /** Without it, a session of this name in any channel counts. */
  readonly channelId?: number;
}

export interface ActionStatus {
  /** The requested action: see `actions`. */
  readonly action: number;
  /** The rule that requested it. */
  readonly reason: number;
  /** Absent if it can no longer be read. */
  readonly message?: string;
  /** The `id` of the same action in the webhook request. */
  readonly webhookId: string;
  /** For example `due`, `executed`, `expired` or `capped`; the service may get further states. */
  readonly state: string;
  /** ISO 8601. */
  readonly finishedAt?: string;
}

/** Absent members are unknown: the engine did not answer in time. */
export interface SessionStatus {
  readonly session?: { readonly active?: boolean };
  readonly client?: { readonly blocked: boolean; readonly blockedUntil?: string };
}

export interface EventStatus extends SessionStatus {
  readonly event: string;
  /** `pending` is not an approval. */
  readonly status: 'decided' | 'pending';
  /** The event that this one repeats; the decision belongs to that event. */
  readonly repeatOf?: string;
  readonly fired: readonly FiredRule[];
  /** With one, a decision without actions is not an approval. */
  readonly suppressed: readonly SuppressedAction[];
  /** All actions of the event, in every state. */
  readonly actions: readonly ActionStatus[];
  readonly session?: { readonly matched?: boolean; readonly mismatch?: string; readonly active?: boolean };
}

export type StatusResult<Status> =
  | {
      readonly found: true;
      readonly status: Status;
      /** How long the oldest undecided event had waited for its decision; absent if the service did not say. */
      readonly lagSeconds?: number;
    }
  /**
   * `unknown`: there is no such event, reference or user; `refused`: the question or the key is wrong; `unavailable`: no
   * answer in time. None of them is an approval.
   */
  | { readonly found: false; readonly why: 'unknown' | 'refused' | 'unavailable'; readonly detail: string };

export interface StatusOptions {
  /** How long to wait for the answer, in milliseconds. Default: 3,000. */
  readonly timeoutMs?: number;
}

/** Asks for a status. Never rejects, and asks once: a repeated question is the caller's choice. */
export interface AskStatus {
  (about: AboutEvent, options?: StatusOptions): Promise<StatusResult<EventStatus>>;
  (about: AboutSession, options?: StatusOptions): Promise<StatusResult<SessionStatus>>;
}

export function createAskStatus({ transport, clock, pathPrefix, headers }: ResolvedOptions): AskStatus {
  async function ask(body: Buffer, timeoutMs: number): Promise<StatusResult<EventStatus & SessionStatus>> {
    try {
      return readStatus(await transport.send({ path: `${pathPrefix}status`, headers, body, timeoutMs }));
    } catch (error) {
      return unavailable(error instanceof Error ? error.message : String(error));
    }
  }

  return async (about: AboutEvent | AboutSession, options?: StatusOptions) => {
    const given = options?.timeoutMs ?? limits.statusTimeoutMs;
    const timeoutMs = given > 0 ? given : limits.statusTimeoutMs;
    let body: Buffer;
    try {
      body = Buffer.from(JSON.stringify(about));
    } catch (error) {
      return { found: false, why: 'refused', detail: error instanceof Error ? error.message : String(error) };
    }
    return new Promise((resolve) => {
      const late = (): void => resolve(unavailable(`no answer within ${timeoutMs} ms`));
      const cancel = clock.schedule(timeoutMs, true, late);
      void ask(body, timeoutMs).then((result) => {
        cancel();
        resolve(result);
      });
    });
  };
}

function unavailable(detail: string): Extract<StatusResult<never>, { found: false }> {
  return { found: false, why: 'unavailable', detail };
}

function readStatus(answer: TransportAnswer): StatusResult<EventStatus & SessionStatus> {
  const verdict = readVerdict(answer);
  switch (verdict.kind) {
    case 'retry':
      return unavailable(verdict.why);
    case 'refused':
      return {
        found: false,
        why: verdict.code === 'thing.unknown' ? 'unknown' : 'refused',
        detail: verdict.detail,
      };
    default:
      return readFound(answer);
  }
}

function readFound({ body, lag }: TransportAnswer): StatusResult<EventStatus & SessionStatus> {
  const lagSeconds = readLagSeconds(lag);
  try {
    const status: unknown = JSON.parse(body);
    if (isStatus(status)) return { found: true, status, ...(lagSeconds === undefined ? {} : { lagSeconds }) };
  } catch {
    // Cut off or not of the service.
  }
  return unavailable('the answer is incomplete, or not of Ringfence');
}

/** An answer about an event has all its lists: an incomplete one could look like an approval. */
function isStatus(status: unknown): status is EventStatus & SessionStatus {
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return false;
  const members = status as Readonly<Record<string, unknown>>;
  if (members['event'] === undefined) return true;
  return ['fired', 'suppressed', 'actions'].every((name) => Array.isArray(members[name]));
}
