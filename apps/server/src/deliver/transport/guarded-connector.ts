import { isIP, isIPv6, type LookupFunction, connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type AddressVerdict, checkAddress, type AllowedRange, rangesAt } from '@ringfence/delivery';
import type { buildConnector } from 'undici';
import { connectMs } from '../bounds.ts';
import { ConnectFailure } from './connect-failure.ts';
import { openTunnel } from './proxy-tunnel.ts';
import type { ResolveHost } from './resolve-host.ts';
import { skipContinue } from './skip-continue.ts';
import type { TlsFacts } from './transport.ts';
import { untilAborted } from './until-aborted.ts';

/** Rules for connections; the same for all endpoints. */
export interface ConnectionRules {
  readonly resolve: ResolveHost;
  /** Ranges of private addresses that the operator allows. */
  readonly allow: readonly AllowedRange[];
  /** Whether this service itself listens there: webhooks to it are refused, whatever the operator allows. */
  readonly isOwn: (address: string, port: number) => boolean;
}

export interface ConnectorOptions {
  readonly rules: ConnectionRules;
  /** Plain http is restricted to the ranges that the operator allows. */
  readonly httpsRequired: boolean;
  /** Forward proxy: the address rules then apply to the proxy, which resolves the target's name itself. */
  readonly proxy: URL | undefined;
  /** PEM. With `ca`, only that one is trusted, not the public ones. */
  readonly tls: {
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
  /** Called for every step, including those of a connection that fails later. */
  readonly report: (step: ConnectionStep) => void;
}

/** Progress of a connection. `atMs` is `performance.now()`. */
export type ConnectionStep = { readonly atMs: number } & (
  | { readonly kind: 'begun' }
  | { readonly kind: 'resolved'; readonly addresses: readonly string[] }
  | { readonly kind: 'connected'; readonly address: string }
  | { readonly kind: 'secured'; readonly tls: TlsFacts }
);

/** The destination of a connection. */
export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

/**
 * Opens connections for undici: resolves the name once, refuses unless every resolved address is allowed, connects to
 * exactly one of those, and checks the socket's actual address again. So DNS rebinding, or a name with a public and a
 * private address, does not bypass the guard.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const secure = protocol === 'https:';
    const target = { host: withoutBrackets(hostname), port: Number(port) || (secure ? 443 : 80), secure };
    const fail = (error: unknown): void =>
      callback(error instanceof Error ? error : new ConnectFailure('reset', String(error)), null);
    void openGuarded(target, options).then((socket) => callback(null, skipContinue(socket)), fail); // oxlint-disable-line promise/no-callback-in-promise -- undici asks by callback
  };
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Opens one guarded connection, as `guardedConnector` does. @throws ConnectFailure */
export async function openGuarded(target: Target, options: ConnectorOptions): Promise<Socket> {
  const abort = new AbortController();
  const timer = setTimeout(() => {
    abort.abort(new ConnectFailure('connectTimeout', `no connection within ${connectMs / 1_000} s`));
  }, connectMs);
  options.report({ kind: 'begun', atMs: performance.now() });
  try {
    const socket = await openPlain(target, options, abort.signal);
    return target.secure ? await openSecure(socket, { target, options, signal: abort.signal }) : socket;
  } finally {
    clearTimeout(timer);
  }
}

/** A TCP connection to the target, through the proxy if there is one. */
async function openPlain(target: Target, options: ConnectorOptions, signal: AbortSignal): Promise<Socket> {
  const { proxy, httpsRequired } = options;
  if (proxy === undefined) return openDirect(target, options, signal);
  if (httpsRequired && !target.secure) throw insecure();
  if (isIP(target.host) !== 0) checkOne(target.host, target, options);
  const proxyTarget = { host: withoutBrackets(proxy.hostname), port: Number(proxy.port) || 80, secure: false };
  const socket = await openDirect(proxyTarget, { ...options, httpsRequired: false }, signal);
  return openTunnel(socket, { proxy, authority: authorityOf(target), signal });
}

function authorityOf({ host, port }: Target): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

async function openDirect(target: Target, options: ConnectorOptions, signal: AbortSignal): Promise<Socket> {
  const addresses = await untilAborted(addressesOf(target.host, options.rules.resolve), signal);
  options.report({ kind: 'resolved', addresses, atMs: performance.now() });
  for (const address of addresses) checkOne(address, target, options);
  const { httpsRequired, rules } = options;
  const byOperator = addresses.every((address) => verdictOn(address, target.port, rules).byOperator);
  if (httpsRequired && !target.secure && !byOperator) throw insecure();

  const socket = connectToOneOf(addresses, target.port);
  await established(socket, { event: 'connect', reason: 'refused', signal });
  const address = socket.remoteAddress ?? '';
  if (!verdictOn(address, target.port, rules).allowed) {
    socket.destroy();
    throw new ConnectFailure('blocked', `the connection was made to ${address}`);
  }
  options.report({ kind: 'connected', address, atMs: performance.now() });
  return socket;
}

function insecure(): ConnectFailure {
  return new ConnectFailure('insecure', 'production requires https, except to addresses that the operator allows');
}

async function addressesOf(host: string, resolve: ResolveHost): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'no answer';
    throw new ConnectFailure('dns', `the host name was not resolved: ${code}`, { cause });
  }
  throw new ConnectFailure('dns', 'the host name has no address');
}

/** @throws ConnectFailure when connecting to this address is not allowed */
function checkOne(address: string, target: Target, { rules }: ConnectorOptions): void {
  const verdict = verdictOn(address, target.port, rules);
  if (!verdict.allowed) {
    throw new ConnectFailure('blocked', `${address} port ${target.port} is a ${verdict.class} address`);
  }
  if (rules.isOwn(address, target.port)) {
    throw new ConnectFailure('blocked', `${address} port ${target.port} is this service itself`);
  }
}

function verdictOn(address: string, port: number, { allow }: ConnectionRules): AddressVerdict {
  return checkAddress(address, rangesAt(port, allow));
}

/** Connects to the first of these addresses that answers, without another look-up. */
function connectToOneOf(addresses: readonly string[], port: number): Socket {
  const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (_hostname, _options, callback) => callback(null, entries);
  return connectTcp({
    // A name that no resolver knows: if the custom look-up were bypassed, the connection would fail.
    host: 'checked.invalid',
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    noDelay: true,
    keepAlive: true,
  });
}

interface Securing {
  readonly target: Target;
  readonly options: ConnectorOptions;
  readonly signal: AbortSignal;
}

async function openSecure(plain: Socket, { target, options, signal }: Securing): Promise<TLSSocket> {
  const { ca, cert, key } = options.tls;
  const socket = connectTls({
    socket: plain,
    // The certificate is checked against `host`; an address must not be sent as the handshake's server name.
    host: target.host,
    ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  await established(socket, { event: 'secureConnect', reason: 'tls', signal });
  options.report({ kind: 'secured', tls: tlsFacts(socket), atMs: performance.now() });
  return socket;
}

interface Establishing {
  readonly event: 'connect' | 'secureConnect';
  readonly reason: 'refused' | 'tls';
  readonly signal: AbortSignal;
}

async function established(socket: Socket, { event, reason, signal }: Establishing): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const failed = (error: NodeJS.ErrnoException): void => {
    const wasReset = event === 'connect' && error.code === 'ECONNRESET';
    reject(new ConnectFailure(wasReset ? 'reset' : reason, error.code ?? error.message, { cause: error }));
  };
  const closed = (): void => reject(new ConnectFailure(reason, 'closed by the other side'));
  // `failed` stays attached: an error before undici listens must not end the process. Undici sees the socket closed.
  socket.once(event, resolve).on('error', failed).once('close', closed);
  try {
    await untilAborted(promise, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off(event, resolve).off('close', closed);
  }
}

function tlsFacts(socket: TLSSocket): TlsFacts {
  const certificate = socket.getPeerCertificate();
  return {
    protocol: socket.getProtocol() ?? '',
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validTo: certificate.valid_to,
  };
}

function nameOf(name: { readonly CN?: string | string[] } | undefined): string {
  return [name?.CN ?? ''].flat().join(', ');
}
