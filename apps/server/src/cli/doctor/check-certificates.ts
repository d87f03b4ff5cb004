import { X509Certificate } from 'node:crypto';
import { dayMs } from '@ringfence/contract';
import type { Configuration } from '../../config/configuration.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** Time for a person to renew what nobody renews by itself. */
export const noticeMs = 14 * dayMs;

/** Whether the certificates of both listeners hold, and until when. */
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
  const mend = 'Renew it: the service takes over what its files have within half a minute, without a new start.';
  if (nowMs > validToDate.getTime()) return bad(what, `it ended at ${until}: clients refuse it`, mend);
  if (nowMs < validFromDate.getTime()) {
    return bad(what, `it begins at ${validFromDate.toISOString()}: clients refuse it`, 'Look at the clock, or wait.');
  }
  if (nowMs > validToDate.getTime() - noticeMs) return unwise(what, `it ends at ${until}`, mend);
  return good(what, `it holds until ${until}`);
}
