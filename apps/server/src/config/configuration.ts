import type { AllowedRange, Cidr } from '@ringfence/delivery';
import type { PolicyFile } from '@ringfence/policy';
import type { SyslogSettings } from '../access/audit/syslog/syslog-settings.ts';
import type { ShareWeights } from '../decide/processor-shares.ts';
import type { IngestLimits } from '../ingest/ingest-deps.ts';
import type { LogTopic } from '../platform/database/event-log.ts';
import type { KeyCommand } from '../platform/secrets/key-command.ts';
import type { MailSettings } from '../notify/mail-server.ts';
import type { MasterKeySource } from '../platform/secrets/master-keys.ts';
import type { StreamSettings } from '../streams/stream-settings.ts';
import type { WorkspaceDefinition } from '../tenancy/workspaces/settings.ts';
import type { Environment } from '../tenancy/workspaces/workspace.ts';
import type { ConsoleSettings } from './console.ts';
import type { FurtherDatabase } from './databases.ts';
import type { LogLevel } from './file-shape.ts';

export interface ListenerTls {
  readonly certPem: string;
  readonly keyPem: string;
  /** The files they were read from; renewed files are read again. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Listener {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls: ListenerTls | undefined;
  /** Proxies whose `X-Forwarded-For` names the sender. */
  readonly trustedProxies: readonly Cidr[];
}

/** The ingest listener. */
export interface PublicListener extends Listener {
  readonly limits: Pick<IngestLimits, 'connectionsPerAddressMax' | 'wrongKeysPerMinute'>;
}

/** A workspace as declared in the file, validated. */
export interface DeclaredWorkspace {
  readonly name: string;
  readonly environment: Environment;
  /** The first is sent with webhooks. `undefined`: generated, and owned by the management API. */
  readonly licenseKeys: readonly string[] | undefined;
  /** Where it is created. */
  readonly database: string;
  readonly definition: WorkspaceDefinition;
  /** `undefined`: owned by the management API. */
  readonly policy: { readonly folder: string; readonly files: readonly PolicyFile[] } | undefined;
  /** The PEM files of the webhook that may be renewed; they are read again while the service runs. */
  readonly webhookFiles: readonly {
    readonly member: 'caPem' | 'clientCertificatePem' | 'clientKeyPem';
    readonly file: string;
  }[];
}

/** The whole configuration of a process. Paths are absolute, and the files it names have been read. */
export interface Configuration {
  /** The configuration file; `undefined` if there is none. */
  readonly file: string | undefined;
  readonly listen: PublicListener;
  readonly management: Listener;
  readonly console: ConsoleSettings;
  /** The mail server for notifications; `undefined`: there is no e-mail. */
  readonly mail: MailSettings | undefined;
  /** Where the audit log is sent to; `undefined`: nowhere. */
  readonly syslog: SyslogSettings | undefined;
  /** Where decisions and what follows from them leave to. */
  readonly streams: readonly StreamSettings[];
  readonly home: string;
  /** `undefined`: the embedded database under `home`. */
  readonly databaseUrl: string | undefined;
  /** The topic that keeps the bytes of the log; `undefined`: the database does. */
  readonly logTopic: LogTopic | undefined;
  /** Whether the file says `database: embedded`: a new one may be created for a live workspace. */
  readonly asksForEmbedded: boolean;
  /** Databases beside the home database, sorted by name. */
  readonly databases: readonly FurtherDatabase[];
  readonly logLevel: LogLevel;
  /** Time between reporting not ready and closing the listeners. */
  readonly stopDelaySeconds: number;
  /** Memory for the entity state of each workspace, in the process that owns its partition. */
  readonly entityMemoryMiB: number;
  /** Threads that decide, in a process that does. */
  readonly deciders: number;
  /** Threads that take events. */
  readonly ingestThreads: number;
  /** How workspaces of the same deciding thread share it. */
  readonly shares: ShareWeights;
  readonly allowPrivateWebhooks: readonly AllowedRange[];
  /** `undefined`: the file does not declare workspaces, and the management API owns all of them. */
  readonly workspaces: readonly DeclaredWorkspace[] | undefined;
  /** From the environment, not validated; never logged. `undefined`: kept in files under `home`. */
  readonly masterKey: string | undefined;
  /** The program that prints the master key. */
  readonly masterKeyCommand: KeyCommand | undefined;
  readonly adminToken: string | undefined;
  /** Settings that work but should be changed. */
  readonly warnings: readonly string[];
}

export function masterKeySource(
  configuration: Pick<Configuration, 'home' | 'masterKey' | 'masterKeyCommand'>,
): MasterKeySource {
  const { home, masterKey: fromEnvironment, masterKeyCommand: command } = configuration;
  return { home, fromEnvironment, command };
}
