import type { KafkaConnection } from '../platform/kafka-client.ts';

/** What a stream may consist of. */
export const streamKinds = ['decisions', 'alerts', 'actions', 'outcomes', 'audit'] as const;
export type StreamKind = (typeof streamKinds)[number];

/** A stream of `ringfence.yaml`. Holds secrets of its target: never log it. */
export interface StreamSettings {
  readonly name: string;
  readonly of: readonly StreamKind[];
  /** As `name/environment`; `undefined`: all. */
  readonly workspaces: readonly string[] | undefined;
  readonly personalData: 'masked' | 'shown';
  readonly target: KafkaTarget | FolderTarget | S3Target;
}

export interface KafkaTarget {
  readonly kind: 'kafka';
  readonly connection: KafkaConnection;
  /** Before the dot in `ringfence.decisions`. */
  readonly topic: string;
  /** Creates missing topics; otherwise they are an error. */
  readonly createTopics: boolean;
}

export type FileFormat = 'parquet' | 'ndjson';

interface Files {
  readonly format: FileFormat;
  readonly everyMs: number;
}

export interface FolderTarget extends Files {
  readonly kind: 'folder';
  /** Absolute. */
  readonly folder: string;
}

export interface S3Target extends Files {
  readonly kind: 's3';
  /** `https://host[:port]`, without the bucket. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Without slashes at its ends; "" for none. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `undefined`: the authorities that Node.js trusts. */
  readonly caPem: string | undefined;
}

/** Where a stream goes to, for people; shows no secret. */
export function targetText(target: StreamSettings['target']): string {
  switch (target.kind) {
    case 'kafka':
      return `kafka ${target.connection.brokers.join(',')} ${target.topic}.*`;
    case 'folder':
      return `${target.format} files in ${target.folder}`;
    case 's3':
      return `${target.format} files in ${target.endpoint}/${target.bucket}/${target.prefix}`;
  }
}

/** How long a fact may wait by the clock: files are written now and then, Kafka gets it at once. */
export function intervalMs(target: StreamSettings['target']): number {
  return target.kind === 'kafka' ? 0 : target.everyMs;
}

/** The streams of a further database: the audit log is in the home database. */
export function withoutAudit(streams: readonly StreamSettings[]): readonly StreamSettings[] {
  return streams
    .map((stream) => ({ ...stream, of: stream.of.filter((kind) => kind !== 'audit') }))
    .filter((stream) => stream.of.length > 0);
}
