import type { BaseOptions } from '@platformatic/kafka';

/** How the topic is reached. */
export interface KafkaSettings extends Pick<BaseOptions, 'tls' | 'tlsServerName' | 'sasl'> {
  /** `host:port` of some brokers. */
  readonly bootstrapBrokers: string[];
  readonly topic: string;
}

/**
 * A request that takes longer is given up: callers of the log are answered within 2 s, and a broker that hangs must not
 * keep requests that another one could take.
 */
const requestMsMax = 1_500;
const connectMsMax = 1_000;
/** Requests of one connection that may wait for their answers; an append is one. */
const inFlightMax = 64;

/** For clients of the library, without retries: what does not answer is decided by the caller. */
export function clientOptions({ bootstrapBrokers, tls, tlsServerName, sasl }: KafkaSettings): BaseOptions {
  return {
    bootstrapBrokers,
    ...(tls === undefined ? {} : { tls }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(sasl === undefined ? {} : { sasl }),
    clientId: 'ringfence',
    timeout: requestMsMax,
    requestTimeout: requestMsMax,
    connectTimeout: connectMsMax,
    maxInflights: inFlightMax,
    retries: 0,
    autocreateTopics: false,
  };
}
