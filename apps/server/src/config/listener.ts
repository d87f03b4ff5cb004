import { isIP } from 'node:net';
import { type AllowedRange, type Cidr, classifyAddress, parseCidr } from '@ringfence/delivery';
import { ingestLimits } from '../ingest/ingest-deps.ts';
import { certificateRefusal, clientKeyRefusal, keyBelongsTo, listenerRefusal } from '../tenancy/workspaces/pem.ts';
import { named } from '../platform/shapes/check.ts';
import type { Listener, PublicListener } from './configuration.ts';
import { type Findings, readText } from './declared-workspace.ts';
import type { WrittenFile, WrittenListener } from './file-shape.ts';

export interface ListenerDefaults {
  readonly host: string;
  readonly port: number;
}

interface ListenerParts {
  readonly written: WrittenListener | undefined;
  /** From the environment or the options, which override the file. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly defaults: ListenerDefaults;
}

/** A listener from the file, with overrides applied and its certificate read. */
export function resolveListener(name: 'listen' | 'management', parts: ListenerParts, findings: Findings): Listener {
  const { written, defaults } = parts;
  return {
    host: parts.host ?? written?.host ?? defaults.host,
    port: parts.port ?? written?.port ?? defaults.port,
    tls: written?.tls === undefined ? undefined : readTls(name, written.tls, findings),
    trustedProxies: parseCidrs(written?.trustedProxies),
  };
}

/** Parses address ranges. Invalid ranges are skipped: they were already reported with the file's mistakes. */
export function parseCidrs(ranges: readonly string[] = []): readonly Cidr[] {
  return ranges.map((range) => parseCidr(range)).filter((range) => range !== undefined);
}

/** Parses the ranges for webhooks. Invalid ones are skipped, as above. */
export function parseAllowedRanges(written: WrittenFile['allowPrivateWebhooks'] = []): readonly AllowedRange[] {
  return written.flatMap(({ range, ...scope }) => parseCidrs([range]).map((cidr) => ({ ...cidr, ...scope })));
}

/** The ingest listener's limits per address. */
export function resolveLimits(written: WrittenFile['listen']): PublicListener['limits'] {
  return {
    connectionsPerAddressMax: written?.connectionsPerAddress ?? ingestLimits.connectionsPerAddressMax,
    wrongKeysPerMinute: written?.wrongKeysPerMinute ?? ingestLimits.wrongKeysPerMinute,
  };
}

function readTls(name: string, files: NonNullable<WrittenListener['tls']>, findings: Findings): Listener['tls'] {
  const at = { certificate: [name, 'tls', 'certFile'], key: [name, 'tls', 'keyFile'] };
  const pair = readKeyPair({ certificate: files.certFile, key: files.keyFile }, at, findings);
  if (pair === undefined) return undefined;
  const noPair = listenerRefusal(pair.certPem, pair.keyPem);
  if (noPair !== undefined) findings.wrong(at.certificate, `${named(at.certificate)}: expected ${noPair}`);
  return { ...pair, certFile: findings.resolve(files.certFile), keyFile: findings.resolve(files.keyFile) };
}

/** Reads a certificate and its key. `undefined` if they cannot be used together, which is then reported. */
export function readKeyPair(
  files: { readonly certificate: string; readonly key: string },
  at: { readonly certificate: readonly (string | number)[]; readonly key: readonly (string | number)[] },
  findings: Findings,
): { readonly certPem: string; readonly keyPem: string } | undefined {
  const certPem = readText(at.certificate, files.certificate, findings);
  const keyPem = readText(at.key, files.key, findings);
  const noCertificate = certPem === undefined ? undefined : certificateRefusal(certPem);
  const noKey = keyPem === undefined ? undefined : clientKeyRefusal(keyPem);
  if (noCertificate !== undefined) {
    findings.wrong(at.certificate, `${named(at.certificate)}: expected ${noCertificate}`);
  }
  if (noKey !== undefined) findings.wrong(at.key, `${named(at.key)}: expected ${noKey}`);
  if (certPem === undefined || keyPem === undefined || noCertificate !== undefined || noKey !== undefined)
    return undefined;
  if (!keyBelongsTo(certPem, keyPem)) {
    findings.wrong(at.key, `${named(at.key)}: expected the private key that belongs to the certificate`);
    return undefined;
  }
  return { certPem, keyPem };
}

/** @param ofFile listeners whose port is set in the file: the mistake is reported there, otherwise without a line */
export function checkApart(
  { listen, management }: { readonly listen: Listener; readonly management: Listener },
  ofFile: readonly ('management' | 'listen')[],
  findings: Findings,
): void {
  const { port } = management;
  if (port === 0 || port !== listen.port || !meet(listen.host, management.host)) return;
  const [name] = ofFile;
  const wanted = `expected different ports for listen and management, but both are ${port}`;
  if (name === undefined) findings.wrongIn({ where: 'ports', line: undefined, column: undefined, message: wanted });
  else findings.wrong([name, 'port'], `${named([name, 'port'])}: ${wanted}`);
}

/** Whether two hosts conflict on the same port: they are equal, or one is a wildcard. */
function meet(a: string, b: string): boolean {
  const all = ['0.0.0.0', '::'];
  return a === b || all.includes(a) || all.includes(b);
}

export function warnOfOpenManagement(management: Listener, findings: Findings): void {
  const { host, tls } = management;
  const local = host === 'localhost' || (isIP(host) !== 0 && classifyAddress(host) === 'loopback');
  if (tls !== undefined || local) return;
  findings.warn(
    `the management API listens on ${host} without TLS, so its admin token can be intercepted: set management.tls`,
  );
}
