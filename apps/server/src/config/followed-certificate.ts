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
  /** The certificate and key as read at the start, with their files. */
  readonly tls: ListenerTls;
  readonly now: () => number;
  /** Called when new connections use a new certificate. */
  readonly onChange: (until: Date) => void;
  /** Called once per reason when the files cannot be used; the previous certificate stays in force. */
  readonly onRefused: (reason: string) => void;
}

type Pair = Pick<ListenerTls, 'certPem' | 'keyPem'>;

/** The certificate of a listener, reloaded from its files while the service runs. */
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

  /** The options to open a TLS server with. */
  get context(): SecureContextOptions {
    return { cert: this.#inForce.certPem, key: this.#inForce.keyPem, minVersion: 'TLSv1.2' };
  }

  /** The end of validity of the certificate in force. */
  get until(): Date {
    return new X509Certificate(this.#inForce.certPem).validToDate;
  }

  /** Starts to follow the files: new connections of this server use the renewed certificate. */
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
