import { readFileSync } from 'node:fs';

/** Facilities of RFC 5424, table 1, that suit an audit log. */
export const facilities = {
  authpriv: 10,
  audit: 13,
  local0: 16,
  local1: 17,
  local2: 18,
  local3: 19,
  local4: 20,
  local5: 21,
  local6: 22,
  local7: 23,
} as const;
export type Facility = keyof typeof facilities;

/** The syslog server that gets the audit log. Paths are absolute. */
export interface SyslogSettings {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** `undefined`: plain TCP. */
  readonly tls: SyslogTlsFiles | undefined;
  readonly format: 'rfc5424' | 'cef';
  readonly facility: Facility;
  /** The longest message, in bytes. */
  readonly messageBytes: number;
  readonly enterpriseNumber: number;
}

/** Read for each connection, so that renewed files are used at once. */
export interface SyslogTlsFiles {
  /** `undefined`: the authorities that Node.js trusts. */
  readonly ca: string | undefined;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
}

export function readTlsFiles({ ca, client }: SyslogTlsFiles): { ca?: string; cert?: string; key?: string } {
  return {
    ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
    ...(client === undefined
      ? {}
      : { cert: readFileSync(client.certificate, 'utf8'), key: readFileSync(client.key, 'utf8') }),
  };
}

/** For messages to the operator. */
export function addressOf({ host, port, tls }: Pick<SyslogSettings, 'host' | 'port' | 'tls'>): string {
  return `${tls === undefined ? 'tcp' : 'tls'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
