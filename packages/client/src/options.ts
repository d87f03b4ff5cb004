import { type Clock, processClock } from './clock.ts';
import type { OnDrop } from './drop.ts';
import { createHttpTransport, type TlsOptions } from './http-transport.ts';
import { isLicenseKey } from './license-key.ts';
import { limits } from './limits.ts';
import type { Transport } from './transport.ts';

export interface RingfenceOptions {
  /** The service's public address, for example `https://ringfence.bank.internal`. */
  readonly baseUrl: string;
  /** Sent as the Bearer token. Never part of an error or a statistic. */
  readonly licenseKey: string;
  /** Selects `/api/` or `/api-dev/`. A key is valid for one of them. */
  readonly environment: 'production' | 'development';
  /** Selects one of the two equivalent paths. Default `app`. */
  readonly path?: 'app' | 'web';
  /** Receives every dropped event. Without it they are only counted. */
  readonly onDrop?: OnDrop;
  /** Limits of the queue, by count and by bytes. */
  readonly queueEventsMax?: number;
  readonly queueBytesMax?: number;
  /** Concurrent requests, and connections. */
  readonly parallelMax?: number;
  readonly requestTimeoutMs?: number;
  /** Older events are dropped instead of sent. */
  readonly eventAgeMsMax?: number;
  /** First and longest wait between attempts. */
  readonly retryDelayMsMin?: number;
  readonly retryDelayMsMax?: number;
  readonly tls?: TlsOptions;
  /** Allows http to other machines. Refused by default, because plain http exposes the license key. */
  readonly allowPlainHttp?: boolean;
  readonly clock?: Clock;
  /** Returns numbers in [0, 1), for jitter. */
  readonly random?: () => number;
  readonly transport?: Transport;
}

/** Options with all defaults applied. */
export interface ResolvedOptions {
  /** The path before `login`, `logout`, `operation` and `outcome`. */
  readonly pathPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly onDrop: OnDrop;
  readonly queueEventsMax: number;
  readonly queueBytesMax: number;
  readonly parallelMax: number;
  readonly requestTimeoutMs: number;
  readonly eventAgeMsMax: number;
  readonly retryDelayMsMin: number;
  readonly retryDelayMsMax: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly transport: Transport;
}

const numbers = [
  'queueEventsMax',
  'queueBytesMax',
  'parallelMax',
  'requestTimeoutMs',
  'eventAgeMsMax',
  'retryDelayMsMin',
  'retryDelayMsMax',
] as const;

/** @throws TypeError for an invalid option, at start, where the error is seen */
export function resolveOptions(options: RingfenceOptions): ResolvedOptions {
  checkNode();
  const base = parseBaseUrl(options);
  if (!isLicenseKey(options.licenseKey)) {
    throw new TypeError('licenseKey must be printable ASCII, without leading or trailing white space');
  }
  // Plain JavaScript may pass anything: "prod" must not silently select one of the two.
  checkOneOf('environment', options.environment, ['production', 'development']);
  checkOneOf('path', options.path ?? 'app', ['app', 'web']);
  if (options.licenseKey.startsWith(prefixOfOthers[options.environment])) {
    throw new TypeError(`licenseKey is not a key for ${options.environment}: each key is valid for one environment`);
  }
  const bounds = Object.fromEntries(
    numbers.map((name) => [name, checkPositive(name, options[name] ?? limits[name])]),
  ) as Record<(typeof numbers)[number], number>;
  const api = options.environment === 'development' ? 'api-dev' : 'api';
  return {
    ...bounds,
    pathPrefix: `${base.pathname.replace(/\/+$/, '')}/${api}/v5/analytics/${options.path ?? 'app'}/`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${options.licenseKey}` },
    onDrop: options.onDrop ?? (() => undefined),
    clock: options.clock ?? processClock,
    random: options.random ?? Math.random,
    transport:
      options.transport ?? createHttpTransport({ origin: base, connectionsMax: bounds.parallelMax, tls: options.tls }),
  };
}

/** Prefixes of keys that the service generated for the other environment: it would refuse every event. */
const prefixOfOthers = { production: 'rf_test_', development: 'rf_live_' } as const;

function parseBaseUrl(options: RingfenceOptions): URL {
  const base = parseUrl(options.baseUrl);
  if (base === undefined || !['http:', 'https:'].includes(base.protocol)) {
    throw new TypeError('baseUrl must be an http or https address');
  }
  // Requests would go to the wrong path and be refused unnoticed.
  if (base.username + base.password + base.search + base.hash !== '' || /\/v5\/analytics\b/.test(base.pathname)) {
    throw new TypeError('baseUrl must be the address only: without /api/v5/analytics, a user, a query or a fragment');
  }
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(base.hostname);
  if (base.protocol === 'http:' && !isHere && options.allowPlainHttp !== true) {
    throw new TypeError(
      'baseUrl must be https, because every request contains the license key (or set allowPlainHttp)',
    );
  }
  return base;
}

/** Node 22.0 has no `URL.parse`. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Checked at start: an older Node would fail at each event, unnoticed. */
function checkNode(): void {
  if (!('rawJSON' in JSON))
    throw new TypeError(`@ringfence/client requires Node.js 22 or later; this is ${process.version}`);
}

function checkOneOf(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new TypeError(`${name} must be ${choices.map((one) => `"${one}"`).join(' or ')}`);
}

function checkPositive(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value <= 0) throw new TypeError(`${name} must be a whole number above 0`);
  return value;
}
