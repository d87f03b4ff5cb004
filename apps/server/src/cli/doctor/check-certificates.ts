import { X509Certificate } from 'node:crypto';
import { dayMs } from '@ringfence/contract';
import type { Configuration } from '../../config/configuration.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** Warns this long before a certificate ends, so that a person has time to renew it. */
export const noticeMs = 14 * dayMs;

/** Checks the validity of both listeners' certificates. */
export function checkCertificates(
  { listen, management }: Pick<Configuration, 'listen' | 'management'>,
  nowMs: number,
): readonly Finding[] {
  return Object.entries({ listen, management }).flatMap(([name, { tls }]) =>
    tls === undefined ? [] : [checkCertificate(`certificate of ${name}`, tls.certPem, nowMs)],
  );
}

function checkCertificate(what: string, certPem: string, nowMs: number): Finding {
  const { validFromDate, validToDate } = new X509Certificate(certPem);
  const until = validToDate.toISOString();
  const mend = 'Renew it: the service reads the new files within half a minute, without a restart.';
  if (nowMs > validToDate.getTime()) return bad(what, `it expired at ${until}: clients refuse it`, mend);
  if (nowMs < validFromDate.getTime()) {
    return bad(
      what,
      `it is valid from ${validFromDate.toISOString()}: clients refuse it until then`,
      'Check the clock, or wait.',
    );
  }
  if (nowMs > validToDate.getTime() - noticeMs) return unwise(what, `it expires at ${until}`, mend);
  return good(what, `it is valid until ${until}`);
}
