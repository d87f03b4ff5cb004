import type { FailureReason } from '@ringfence/delivery';
import type { Environment, WebhookSettings } from '../../tenancy/workspaces/workspace.ts';
import type { WebhookRequest } from '../webhook-request.ts';

/** Where a request goes. */
export interface Endpoint {
  readonly workspaceId: string;
  readonly environment: Environment;
  readonly settings: WebhookSettings;
}

/** How a connection came about; `undefined` members were not reached. */
export interface ConnectionFacts {
  /** The addresses that the name stood for, all of them checked. */
  readonly resolved: readonly string[];
  /** The one that was connected to: the proxy's, where there is one. */
  readonly address: string | undefined;
  readonly proxy: string | undefined;
  readonly tls: TlsFacts | undefined;
  readonly resolveMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  /** It had served a request before this one. */
  readonly reused: boolean;
}

export interface TlsFacts {
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  readonly validTo: string;
}

/** What came of a request: an answer, or why there is none. */
export type Sent = { readonly connection: ConnectionFacts; readonly durationMs: number } & (
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Lower-case names; several values are joined by ", ". */
      readonly headers: Readonly<Record<string, string>>;
      /** At most 64 KiB. */
      readonly body: Uint8Array;
      readonly truncated: boolean;
      readonly firstByteMs: number;
    }
  | { readonly kind: 'failure'; readonly reason: FailureReason; readonly detail: string }
);

/**
 * Sends webhook requests. Never throws for what an endpoint does; never follows a redirect; never takes longer than
 * `deadlineMs`; connects to no address that the guard refuses.
 */
export interface Transport {
  /** @param stop gives the request up as `interrupted` */
  send(endpoint: Endpoint, request: WebhookRequest, stop: AbortSignal): Promise<Sent>;
  close(): Promise<void>;
}
