import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { ListenerTls } from './configuration.ts';
import { FollowedFiles } from './followed-files.ts';
import {
  certificateRefusal,
  certificateWarning,
  clientKeyRefusal,
  listenerPairRefusal,
} from '../tenancy/workspaces/pem.ts';

export interface FollowedCertificateOptions {
  /** As it was read at the start, and from where. */
  readonly tls: ListenerTls;
  readonly now: () => number;
  /** Another one is in force for connections that come from now on. */
  readonly onChange: (until: Date) => void;
  /** The files have something that cannot be used; what was in force before stays. Told once for each reason. */
  readonly onRefused: (reason: string) => void;
}

type Pair = Pick<ListenerTls, 'certPem' | 'keyPem'>;

/** The certificate of a listener, taken over from its files while the service runs. */
export class FollowedCertificate {
  readonly #options: FollowedCertificateOptions;
  readonly #files: FollowedFiles;
  #inForce: Pair;
  #server: { setSecureContext(options: SecureContextOptions): void } | undefined;

  constructor(options: FollowedCertificateOptions) {
    this.#options = options;
    const { certFile, keyFile, certPem, keyPem } = options.tls;
    this.#inForce = { certPem, keyPem };
    this.#files = new FollowedFiles({
      files: [certFile, keyFile],
      inForce: [certPem, keyPem],
      take: async ([cert = '', key = '']) => this.#take({ certPem: cert, keyPem: key }),
      onRefused: options.onRefused,
    });
  }

  /** What a server is opened with. */
  get context(): SecureContextOptions {
    return { cert: this.#inForce.certPem, key: this.#inForce.keyPem, minVersion: 'TLSv1.2' };
  }

  /** Until when the certificate in force holds. */
  get until(): Date {
    return new X509Certificate(this.#inForce.certPem).validToDate;
  }

  /** From now on new connections of this server have what the files have. */
  start(server: { setSecureContext(options: SecureContextOptions): void }): void {
    this.#server = server;
    this.#files.start();
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  look(): Promise<void> {
    return this.#files.look();
  }

  #take(found: Pair): string | undefined {
    const reason = refusalOf(found, this.#options.now());
    if (reason !== undefined) return reason;
    this.#inForce = found;
    this.#server?.setSecureContext(this.context);
    this.#options.onChange(this.until);
    return undefined;
  }
}

function refusalOf({ certPem, keyPem }: Pair, nowMs: number): string | undefined {
  const wanted = certificateRefusal(certPem) ?? clientKeyRefusal(keyPem) ?? listenerPairRefusal(certPem, keyPem);
  return wanted === undefined ? certificateWarning(certPem, nowMs) : `expected ${wanted}`;
}
