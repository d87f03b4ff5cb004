import type { DeviceKey } from '@ringfence/intel';

/** A tenant in one environment, as every part of the process sees it. Immutable; a change makes a new one. */
export interface Workspace {
  /** Random, 8 characters; also the name of its log partition. */
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  /**
   * Who may change what: the configuration file or the management API, never both. A file that leaves out keys or policy
   * leaves them to the API; channels go with the settings.
   */
  readonly owners: { readonly settings: Owner; readonly keys: Owner; readonly policy: Owner };
  readonly settings: WorkspaceSettings;
  readonly channels: ReadonlyMap<number, Channel>;
  readonly secrets: WorkspaceSecrets;
  /** The policy version that was last activated. What decides now is what the log has reached. */
  readonly policyVersion: number | undefined;
  readonly createdAtMs: number;
}

export type Environment = 'production' | 'development';
export type Owner = 'config' | 'api';

export interface Channel {
  readonly id: number;
  readonly name: string;
  readonly idleMinutes: number;
  readonly absoluteHours: number;
  readonly sessions: 'required' | 'optional';
  /** `none`: the `data` of its logins is no token of ours, and gives no facts. Absent: `token`. */
  readonly device?: 'token' | 'none';
}

export interface WorkspaceSettings {
  /** IANA zone, for dates that come without one and for `date` in webhooks. */
  readonly timezone: string;
  /** What to do with card numbers in free text. */
  readonly cards: 'mask' | 'refuse';
  readonly sessionGraceSeconds: number;
  readonly blockHours: number;
  /** Days, like `400d`, or `forever`: what is older is removed. Of events with their decisions, and of finished actions. */
  readonly keepEvents: string;
  readonly keepActions: string;
  /** The same of what device tokens hold; absent: as long as the events. */
  readonly keepDeviceTokens?: string;
  /** A policy is activated by request and approval of two people. */
  readonly fourEyes?: boolean;
  /** Requests per second of one key, with a burst; absent: no limit. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Origins of the pages and apps that make device tokens; absent or empty: any. */
  readonly deviceOrigins?: readonly string[];
  readonly webhook?: WebhookSettings;
  /** `observe`: decide and send nothing. */
  readonly deliver: 'live' | 'observe';
}

export interface WebhookSettings {
  readonly url: string;
  /** PEM of the client's RSA public key, for `clientRSA`. */
  readonly publicKeyPem?: string;
  readonly oaepMgf1Hash: 'sha256' | 'sha1';
  readonly dateStyle: 'zone' | 'local';
  readonly clientHash: 'hmac' | 'sha256';
  readonly caPem?: string;
  readonly clientCertificatePem?: string;
  readonly clientKeyPem?: string;
  /** Forward proxy, `http://host:port`. */
  readonly proxy?: string;
  /** Try again when the answer is code 0. */
  readonly retryNotExecuted: boolean;
  /** Minutes until an action is no longer sent, by action; absent: the product's defaults. */
  readonly expiryMinutes?: Readonly<Record<string, number>>;
}

/** Opened with the master key at start; never logged, never sent over the management API. */
export interface WorkspaceSecrets {
  /** Seals what does not belong to one client. 32 bytes. */
  readonly data: Buffer;
  /** Makes blind indexes. 32 bytes. */
  readonly index: Buffer;
  /** Hashes clients for webhooks. At least 32 bytes; can be imported and exported. */
  readonly pepper: Buffer;
  /** Signs webhooks (Standard Webhooks). 32 bytes. */
  readonly webhook: Buffer;
  /** Open device tokens: the key that pages get first, then the one before it. Empty until one is made. */
  readonly deviceKeys: readonly DeviceKey[];
  /** The one before `webhook`: it signs as well for a while, for receivers that do not have the new one yet. */
  readonly webhookBefore?: { readonly secret: Buffer; readonly untilMs: number };
}

/** The live view of all workspaces and keys, at most 5 s behind the database on every process. */
export interface WorkspaceRegistry {
  /**
   * The workspace whose live key this is, in that environment; `undefined` for any other reason, after the same
   * work (hash look-up and constant-time compare). Costs about 2 microseconds.
   */
  authenticate(
    token: string,
    environment: Environment,
  ): { readonly workspace: Workspace; readonly keyId: string } | undefined;
  byId(workspaceId: string): Workspace | undefined;
  all(): readonly Workspace[];
  /** The license key that is sent with webhooks, opened. */
  sendingKey(workspaceId: string): string | undefined;
  onChange(listener: () => void): () => void;
}
