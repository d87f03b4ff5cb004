import type { OwnFraudType } from '@ringfence/contract';
import type { DeviceKey } from '@ringfence/intel';

/** A tenant in one environment, shared by all parts of the process. Immutable; a change creates a new object. */
export interface Workspace {
  /** Random, 8 characters; also the name of its log partition. */
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  /**
   * The one owner of each part: the configuration file or the management API. If the file does not declare keys or
   * policy, the API owns them. The owner of the settings also owns the channels.
   */
  readonly owners: { readonly settings: Owner; readonly keys: Owner; readonly policy: Owner };
  readonly settings: WorkspaceSettings;
  readonly channels: ReadonlyMap<number, Channel>;
  readonly secrets: WorkspaceSecrets;
  /** The version last activated. The engine uses it from its `policy` record in the log on. */
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
  /** `none`: the `data` of its logins is not a device token of Ringfence and yields no facts. Absent: `token`. */
  readonly device?: 'token' | 'none';
}

export interface WorkspaceSettings {
  /** IANA zone, for dates without a zone and for `date` in webhooks. */
  readonly timezone: string;
  /** What to do with card numbers in free text. */
  readonly cards: 'mask' | 'refuse';
  readonly sessionGraceSeconds: number;
  readonly blockHours: number;
  /** Retention of events and their decisions: days like `400d`, or `forever`. */
  readonly keepEvents: string;
  /** Retention of finished actions, in the same form. */
  readonly keepActions: string;
  /** How long the content of device tokens stays readable; absent: as long as the events. */
  readonly keepDeviceTokens?: string;
  /** Activating a policy needs a request and the approval of a second person. */
  readonly fourEyes?: boolean;
  /** Requests per second of one key, with a burst; absent: no limit. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Events are refused while a decision takes longer than these seconds; absent: none is. */
  readonly lagMax?: number;
  /** What the license key may report, and which chargebacks are fraud; absent: the defaults. */
  readonly outcomes?: {
    readonly keyMayLabel: boolean;
    readonly fraudCodes: readonly string[];
    /** Added to `fraudTypes`; absent: none. */
    readonly fraudTypes?: readonly OwnFraudType[];
  };
  readonly holds?: HoldSettings;
  readonly alerts?: AlertSettings;
  /** Origins of the pages and apps that create device tokens; absent or empty: any. */
  readonly deviceOrigins?: readonly string[];
  readonly webhook?: WebhookSettings;
  /** `observe`: decide, but send nothing. */
  readonly deliver: 'live' | 'observe';
}

/** Held payments. */
export interface HoldSettings {
  /** Releasing more than this amount, by currency, needs a second person; a currency that is absent always does. */
  readonly secondAbove?: Readonly<Record<string, number>>;
  /** How long the same payment is held again after it was rejected; absent: 24. */
  readonly heldAgainHours?: number;
}

/** In the order of the week. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Alerts that wait for people. */
export interface AlertSettings {
  /** An alert is due this long after it was opened; absent: alerts are never due. */
  readonly dueMinutes?: number;
  /** The time in which it passes; absent: all hours of all days. */
  readonly businessHours?: BusinessHours;
}

/** In the workspace's time zone. */
export interface BusinessHours {
  readonly days: readonly (typeof weekdays)[number][];
  /** By the clock, `09:00`; the same on all of these days. */
  readonly from: string;
  /** Later than `from`; at most `24:00`. */
  readonly to: string;
}

/** The minute of the day of `09:30`. */
export function clockMinutes(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number);
  return hours! * 60 + minutes!;
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
  /** Retry after the answer code 0. */
  readonly retryNotExecuted: boolean;
  /** Sends `transaction.reference` in a header. */
  readonly sendReference: boolean;
  /** Minutes until an action is no longer sent, by action; absent: the product's defaults. */
  readonly expiryMinutes?: Readonly<Record<string, number>>;
}

/** Decrypted with the master key at start; never logged, never sent over the management API. */
export interface WorkspaceSecrets {
  /** Encrypts data that does not belong to one client. 32 bytes. */
  readonly data: Buffer;
  /** The key of blind indexes. 32 bytes. */
  readonly index: Buffer;
  /** Hashes clients for webhooks. At least 32 bytes; can be imported and exported. */
  readonly pepper: Buffer;
  /** Signs webhooks (Standard Webhooks). 32 bytes. */
  readonly webhook: Buffer;
  /** Decrypt device tokens: the present key, which pages use, then the previous one. Empty until one is created. */
  readonly deviceKeys: readonly DeviceKey[];
  /** The previous signing secret: it also signs until `untilMs`, for receivers that do not have the new one yet. */
  readonly webhookBefore?: { readonly secret: Buffer; readonly untilMs: number };
}

/** The present workspaces and keys in memory, at most 5 s behind the database. */
export interface WorkspaceRegistry {
  /**
   * The workspace of that environment to which this live key belongs, or `undefined`. Both cases do the same work (hash
   * look-up and constant-time comparison). Takes about 2 microseconds.
   */
  authenticate(
    token: string,
    environment: Environment,
  ): { readonly workspace: Workspace; readonly keyId: string } | undefined;
  byId(workspaceId: string): Workspace | undefined;
  all(): readonly Workspace[];
  /** The text of the license key that is sent with webhooks. */
  sendingKey(workspaceId: string): string | undefined;
  onChange(listener: () => void): () => void;
}
