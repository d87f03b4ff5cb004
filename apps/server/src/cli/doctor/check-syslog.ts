import { hourMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { sendConfirmed } from '../../access/audit/syslog/send-confirmed.ts';
import { readUnsent } from '../../access/audit/syslog/sent-entries.ts';
import { addressOf } from '../../access/audit/syslog/syslog-settings.ts';
import type { Configuration } from '../../config/configuration.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** The longest pause between two attempts is 5 minutes. */
const lateMsMax = hourMs;
/** A person waits for it. */
const bounds = { wholeMs: 10_000, settleMs: 500 };

/** Connects to the syslog server, without a message, and looks at how far the audit log has left. */
export async function checkSyslog(
  { syslog }: Pick<Configuration, 'syslog'>,
  { pool, nowMs }: { readonly pool: Pool; readonly nowMs: number },
): Promise<readonly Finding[]> {
  if (syslog === undefined) return [];
  const to = addressOf(syslog);
  const findings: Finding[] = [];
  try {
    await sendConfirmed(syslog, [], { stop: new AbortController().signal, bounds });
    findings.push(good('syslog', `${to} takes connections`));
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error);
    const mend =
      'Check audit.syslog in the file: the address, the authority in caFile, and the name in the certificate of the server.';
    findings.push(bad('syslog', `${to} cannot be used: ${reason}`, mend));
  }
  const { waiting, oldestMs } = await readUnsent(pool, nowMs);
  if (oldestMs > lateMsMax) {
    const detail = `${waiting} entries of the audit log were not sent, the oldest for ${Math.floor(oldestMs / hourMs)} hours`;
    const mend = 'Check that a process without --door-only is running. Its log says why the server does not take them.';
    findings.push(unwise('syslog', detail, mend));
  }
  return findings;
}

/** Errors of several addresses of one name have no message of their own. */
function reasonOf(error: Error & { code?: string }): string {
  return error.message === '' ? (error.code ?? error.name) : error.message;
}
