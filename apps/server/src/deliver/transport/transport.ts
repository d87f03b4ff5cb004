import type { FailureReason } from '@ringfence/delivery';
import type { Environment, WebhookSettings } from '../../tenancy/workspaces/workspace.ts';
import type { WebhookRequest } from '../webhook-request.ts';

/** The destination of a request. */
export interface Endpoint {
  readonly workspaceId: string;
  /** A destination of notifications; absent: the webhook of the workspace. */
  readonly destination?: string;
  /** Of the workspace. */
  readonly name: string;
  readonly environment: Environment;
  readonly settings: EndpointSettings;
}

/** Where and how to connect. */
export type EndpointSettings = Pick<
  WebhookSettings,
  'url' | 'proxy' | 'caPem' | 'clientCertificatePem' | 'clientKeyPem'
>;

/** How a connection was established; members of steps that were not reached are `undefined`. */
export interface ConnectionFacts {
  /** The resolved addresses of the name, all of them checked. */
  readonly resolved: readonly string[];
  /** The address connected to: the proxy's, if there is one. */
  readonly address: string | undefined;
  readonly proxy: string | undefined;
  readonly tls: TlsFacts | undefined;
  readonly resolveMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  /** Whether it had served an earlier request. */
  readonly reused: boolean;
}

export interface TlsFacts {
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  readonly validTo: string;
}

/** The result of a request: an answer, or the reason of its failure. */
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
 * Sends webhook requests. Never throws because of an endpoint's behaviour; never follows a redirect; never takes longer
 * than `deadlineMs`; never connects to an address that the guard refuses.
 */
export interface Transport {
  /** @param stop aborts the request as `interrupted` */
  send(endpoint: Endpoint, request: WebhookRequest, stop: AbortSignal): Promise<Sent>;
  close(): Promise<void>;
}
