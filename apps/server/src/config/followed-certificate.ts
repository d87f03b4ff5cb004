import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import type { ListenerTls } from './configuration.ts';
import { reasonOf } from './declared-workspace.ts';
import { certificateRefusal, certificateWarning, clientKeyRefusal, listenerPairRefusal } from '../workspaces/pem.ts';

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

/** How often the files are looked at. A renewal is in force after the second look at it. */
const lookEveryMs = 10_000;

/**
 * The certificate of a listener, taken over from its files while the service runs.
 *
 *   in force --other files--> seen --the same at the next look, and usable--> in force
 *                              '-----the same, and not usable--> told; the old one stays, and the files are looked at again
 *
 * Whoever renews writes two files one after the other: what is the same at two looks is whole.
 */
export class FollowedCertificate {
  readonly #options: FollowedCertificateOptions;
  #inForce: Pair;
  #seen: Pair | undefined;
  #told: string | undefined;
  #server: { setSecureContext(options: SecureContextOptions): void } | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(options: FollowedCertificateOptions) {
    this.#options = options;
    this.#inForce = options.tls;
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
    this.#looking = setInterval(() => this.look(), lookEveryMs);
  }

  close(): void {
    clearInterval(this.#looking);
  }

  look(): void {
    const found = readPair(this.#options.tls);
    if (typeof found === 'string') return this.#refuse(found);
    if (isSame(found, this.#inForce)) {
      this.#seen = this.#told = undefined;
      return;
    }
    if (this.#seen === undefined || !isSame(found, this.#seen)) {
      this.#seen = found;
      return;
    }
    const reason = refusalOf(found, this.#options.now());
    if (reason !== undefined) return this.#refuse(reason);
    this.#inForce = found;
    this.#seen = this.#told = undefined;
    this.#server?.setSecureContext(this.context);
    this.#options.onChange(this.until);
  }

  #refuse(reason: string): void {
    if (this.#told === reason) return;
    this.#told = reason;
    this.#options.onRefused(reason);
  }
}

function isSame(one: Pair, other: Pair): boolean {
  return one.certPem === other.certPem && one.keyPem === other.keyPem;
}

/** @returns why one of the files cannot be read, when it cannot */
function readPair({ certFile, keyFile }: ListenerTls): Pair | string {
  const texts: string[] = [];
  for (const file of [certFile, keyFile]) {
    try {
      texts.push(readFileSync(file, 'utf8'));
    } catch (error) {
      return `${file} cannot be read (${reasonOf(error)})`;
    }
  }
  const [certPem = '', keyPem = ''] = texts;
  return { certPem, keyPem };
}

function refusalOf({ certPem, keyPem }: Pair, nowMs: number): string | undefined {
  const wanted = certificateRefusal(certPem) ?? clientKeyRefusal(keyPem) ?? listenerPairRefusal(certPem, keyPem);
  return wanted === undefined ? certificateWarning(certPem, nowMs) : `expected ${wanted}`;
}
