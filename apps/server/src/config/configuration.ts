import type { Cidr } from '@ringfence/delivery';
import type { PolicyFile } from '@ringfence/policy';
import type { DoorLimits } from '../ingest/ingest-deps.ts';
import type { WorkspaceDefinition } from '../tenancy/workspaces/settings.ts';
import type { Environment } from '../tenancy/workspaces/workspace.ts';
import type { ConsoleSettings } from './console.ts';
import type { LogLevel } from './file-shape.ts';

export interface ListenerTls {
  readonly certPem: string;
  readonly keyPem: string;
  /** Where they were read, and are read again when they are renewed. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Listener {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tls: ListenerTls | undefined;
  /** Whom these name in `X-Forwarded-For` is the sender. */
  readonly trustedProxies: readonly Cidr[];
}

/** The public listener. */
export interface PublicListener extends Listener {
  readonly limits: Pick<DoorLimits, 'connectionsPerAddressMax' | 'wrongKeysPerMinute'>;
}

/** A workspace as the file declares it, checked. */
export interface DeclaredWorkspace {
  readonly name: string;
  readonly environment: Environment;
  /** The first is sent with webhooks. `undefined`: generated, and left to the management API. */
  readonly licenseKeys: readonly string[] | undefined;
  readonly definition: WorkspaceDefinition;
  /** `undefined`: left to the management API. */
  readonly policy: { readonly folder: string; readonly files: readonly PolicyFile[] } | undefined;
  /** Where what is renewed was read, and is read again. */
  readonly webhookFiles: readonly {
    readonly member: 'caPem' | 'clientCertificatePem' | 'clientKeyPem';
    readonly file: string;
  }[];
}

/** Everything that one process needs to know before it starts. Paths are absolute, files are read. */
export interface Configuration {
  /** The configuration file; `undefined` when there is none. */
  readonly file: string | undefined;
  readonly listen: PublicListener;
  readonly management: Listener;
  readonly console: ConsoleSettings;
  readonly home: string;
  /** `undefined`: the embedded database under `home`. */
  readonly databaseUrl: string | undefined;
  readonly logLevel: LogLevel;
  /** Between not being ready any more and closing the listeners. */
  readonly stopDelaySeconds: number;
  /** For what is known of each workspace, in the process that decides it. */
  readonly entityMemoryMiB: number;
  readonly allowPrivateWebhooks: readonly Cidr[];
  /** `undefined`: the file says nothing of workspaces, and all are left to the management API. */
  readonly workspaces: readonly DeclaredWorkspace[] | undefined;
  /** What the environment says, unchecked; never logged. `undefined`: kept in files under `home`. */
  readonly masterKey: string | undefined;
  readonly adminToken: string | undefined;
  /** What works, and had better be otherwise. */
  readonly warnings: readonly string[];
}
