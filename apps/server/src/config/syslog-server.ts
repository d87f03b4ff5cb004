import type { SyslogSettings } from '../access/audit/syslog/syslog-settings.ts';
import { named } from '../platform/shapes/check.ts';
import { certificateRefusal } from '../tenancy/workspaces/pem.ts';
import { parseAddress, type WrittenSyslog } from './audit.ts';
import { type Findings, readText } from './declared-workspace.ts';
import { readKeyPair } from './listener.ts';

/** The syslog server of the file. Its files are read, to report now what could not be used later. */
export function resolveSyslog(written: WrittenSyslog | undefined, findings: Findings): SyslogSettings | undefined {
  if (written === undefined) return undefined;
  const { host, port, tls } = parseAddress(written.to)!;
  const { caFile, clientCertificateFile: certificate, clientKeyFile: key } = written;
  if (caFile !== undefined) checkAuthorities(caFile, findings);
  const pair = certificate === undefined || key === undefined ? undefined : { certificate, key };
  if (pair !== undefined) {
    const at = (name: string): readonly string[] => ['audit', 'syslog', name];
    readKeyPair(pair, { certificate: at('clientCertificateFile'), key: at('clientKeyFile') }, findings);
  }
  const client = pair && { certificate: findings.resolve(pair.certificate), key: findings.resolve(pair.key) };
  return {
    host,
    port,
    tls: tls ? { ca: caFile === undefined ? undefined : findings.resolve(caFile), client } : undefined,
    format: written.format,
    facility: written.facility,
    messageBytes: written.messageBytes,
    enterpriseNumber: written.enterpriseNumber,
  };
}

function checkAuthorities(caFile: string, findings: Findings): void {
  const path = ['audit', 'syslog', 'caFile'];
  const pem = readText(path, caFile, findings);
  const refusal = pem === undefined ? undefined : certificateRefusal(pem);
  if (refusal !== undefined) findings.wrong(path, `${named(path)}: expected ${refusal}`);
}
