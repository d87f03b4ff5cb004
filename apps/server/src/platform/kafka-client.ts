import { readFileSync } from 'node:fs';
import type { TLSSocketOptions } from 'node:tls';

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** How to reach a Kafka cluster. Paths are absolute. Holds a password: never log it. */
export interface KafkaConnection {
  /** `host:port` of some of its brokers. */
  readonly brokers: readonly string[];
  /** `undefined`: plain TCP. */
  readonly tls: KafkaTlsFiles | undefined;
  /** `undefined`: no log-in, except by the certificate in `tls`. */
  readonly sasl:
    | { readonly mechanism: (typeof saslMechanisms)[number]; readonly username: string; readonly password: string }
    | undefined;
}

/** Read for each client that is made, so that renewed files are used at the next start of one. */
export interface KafkaTlsFiles {
  /** `undefined`: the authorities that Node.js trusts. */
  readonly ca: string | undefined;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
}

interface ClientOptions {
  readonly bootstrapBrokers: string[];
  readonly tls?: TLSSocketOptions;
  readonly tlsServerName?: boolean;
  readonly sasl?: NonNullable<KafkaConnection['sasl']>;
}

/** The connection as the options of a client of `@platformatic/kafka`. @throws when a file cannot be read */
export function kafkaClientOptions({ brokers, tls, sasl }: KafkaConnection): ClientOptions {
  return {
    bootstrapBrokers: [...brokers],
    ...(tls === undefined ? {} : { tls: tlsOptions(tls), tlsServerName: true }),
    ...(sasl === undefined ? {} : { sasl }),
  };
}

function tlsOptions({ ca, client }: KafkaTlsFiles): TLSSocketOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
    ...(client === undefined
      ? {}
      : { cert: readFileSync(client.certificate, 'utf8'), key: readFileSync(client.key, 'utf8') }),
  };
}
