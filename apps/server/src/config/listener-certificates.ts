import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { Configuration } from './configuration.ts';
import type { CertificateExpiry } from '../platform/observability/certificate-expiry.ts';
import { FollowedCertificate } from './followed-certificate.ts';

type ListenerName = 'listen' | 'management';

/** The certificates of those listeners that use TLS. */
export class ListenerCertificates {
  readonly #followed = new Map<ListenerName, FollowedCertificate>();
  readonly #now: () => number;

  constructor(options: {
    readonly configuration: Pick<Configuration, ListenerName>;
    readonly logger: Pick<Logger, 'info' | 'error'>;
    readonly now: () => number;
  }) {
    const { configuration, logger, now } = options;
    this.#now = now;
    for (const listener of ['listen', 'management'] as const) {
      const { tls } = configuration[listener];
      if (tls === undefined) continue;
      const certificate = new FollowedCertificate({
        tls,
        now,
        onChange: (until) => logger.info({ listener, until }, 'using a renewed certificate'),
        onRefused: (reason) => logger.error({ listener, reason }, 'a renewed certificate cannot be used'),
      });
      this.#followed.set(listener, certificate);
    }
  }

  /** The options to open a listener's server with; `undefined`: plain HTTP. */
  contextOf(listener: ListenerName): SecureContextOptions | undefined {
    return this.#followed.get(listener)?.context;
  }

  /** Starts to follow the certificate files of a listener, if it uses TLS: its server gets each new certificate. */
  follow(listener: ListenerName, server: { setSecureContext(context: SecureContextOptions): void }): void {
    this.#followed.get(listener)?.start(server);
  }

  left(): readonly CertificateExpiry[] {
    return [...this.#followed].map(([listener, { until }]) => ({
      labels: { listener },
      leftMs: until.getTime() - this.#now(),
    }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((certificate) => certificate.close()));
  }
}
