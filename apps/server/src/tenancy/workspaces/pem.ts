import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, in order. @throws if one cannot be parsed */
export function certificatesOf(pem: string): readonly X509Certificate[] {
  return (pem.match(certificateBlock) ?? []).map((block) => new X509Certificate(block));
}

/** Why the text is not one or more certificates; completes "expected …". */
export function certificateRefusal(pem: string): string | undefined {
  try {
    return certificatesOf(pem).length > 0 ? undefined : 'the PEM of one or more certificates';
  } catch {
    return 'the PEM of one or more certificates; one of them cannot be parsed';
  }
}

/** A message about the first certificate of the text that is not valid at `nowMs`. */
export function certificateWarning(pem: string, nowMs: number): string | undefined {
  for (const certificate of certificatesOf(pem)) {
    const subject = certificate.subject.replaceAll('\n', ', ');
    if (certificate.validToDate.getTime() < nowMs)
      return `the certificate of ${subject} expired on ${certificate.validTo}`;
    if (certificate.validFromDate.getTime() > nowMs)
      return `the certificate of ${subject} is valid only from ${certificate.validFrom}`;
  }
  return undefined;
}

/** Why the text is not a private key without a passphrase; completes "expected …". */
export function clientKeyRefusal(pem: string): string | undefined {
  if (pem.includes('ENCRYPTED')) return 'the PEM of a private key that is not encrypted with a passphrase';
  try {
    createPrivateKey(pem);
    return undefined;
  } catch {
    return 'the PEM of a private key';
  }
}

/** Whether the private key belongs to the (first) certificate. Both must be valid PEM. */
export function keyBelongsTo(certificatePem: string, keyPem: string): boolean {
  return certificatesOf(certificatePem)[0]!.checkPrivateKey(createPrivateKey(keyPem));
}

/** Why a listener cannot use a certificate and key, which are both valid PEM; completes "expected …". */
export function listenerPairRefusal(certificatePem: string, keyPem: string): string | undefined {
  if (!keyBelongsTo(certificatePem, keyPem)) return 'the private key that belongs to the certificate';
  return listenerRefusal(certificatePem, keyPem);
}

/** Why TLS refuses a certificate and key that are valid and belong together; completes "expected …". */
export function listenerRefusal(certificatePem: string, keyPem: string): string | undefined {
  try {
    createSecureContext({ cert: certificatePem, key: keyPem });
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/^error:\w+:[^:]*:[^:]*:/, '');
    if (/too small/.test(reason)) return `a certificate whose key is long enough, RSA of 2048 bits or more (${reason})`;
    return `a certificate that can be used for TLS (${reason})`;
  }
}
