import { type Clock, processClock } from './clock.ts';
import type { OnDrop } from './drop.ts';
import { createHttpTransport, type TlsOptions } from './http-transport.ts';
import { isLicenseKey } from './license-key.ts';
import { limits } from './limits.ts';
import type { Transport } from './transport.ts';

export interface RingfenceOptions {
  /** The service's public address, for example `https://ringfence.bank.internal`. */
  readonly baseUrl: string;
  /** Sent as the Bearer token. Appears in no error and no statistic. */
  readonly licenseKey: string;
  /** Which of its two sides is called: `/api/` or `/api-dev/`. A key is good for one of them. */
  readonly environment: 'production' | 'development';
  /** Which of the two equal paths is called. Default `app`. */
  readonly path?: 'app' | 'web';
  /** Learns of every event that is left out. Without it they are only counted. */
  readonly onDrop?: OnDrop;
  /** Bounds of what waits, by count and by bytes. */
  readonly queueEventsMax?: number;
  readonly queueBytesMax?: number;
  /** Requests, and connections, at a time. */
  readonly parallelMax?: number;
  readonly requestTimeoutMs?: number;
  /** An event older than this is dropped instead of sent. */
  readonly eventAgeMsMax?: number;
  /** First and longest wait between attempts. */
  readonly retryDelayMsMin?: number;
  readonly retryDelayMsMax?: number;
  readonly tls?: TlsOptions;
  /** Plain http carries the license key readable: refused for anything but this machine, unless this is true. */
  readonly allowPlainHttp?: boolean;
  readonly clock?: Clock;
  /** Numbers in [0, 1), for jitter. */
  readonly random?: () => number;
  readonly transport?: Transport;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  /** What comes before `login`, `logout` and `operation`. */
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

/** @throws TypeError when an option can't work: said at the start, where somebody reads it */
export function resolveOptions(options: RingfenceOptions): ResolvedOptions {
  checkNode();
  const base = parseBaseUrl(options);
  if (!isLicenseKey(options.licenseKey)) {
    throw new TypeError('licenseKey must be printable ASCII, without white space at its ends');
  }
  // Plain JavaScript may say anything: "prod" would else be production, and "dev" too.
  checkOneOf('environment', options.environment, ['production', 'development']);
  checkOneOf('path', options.path ?? 'app', ['app', 'web']);
  if (options.licenseKey.startsWith(prefixOfOthers[options.environment])) {
    throw new TypeError(`licenseKey is not one of ${options.environment}: each key is good for one environment`);
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

/** Of keys that the service has made for the other environment: it would refuse every event. */
const prefixOfOthers = { production: 'rf_test_', development: 'rf_live_' } as const;

function parseBaseUrl(options: RingfenceOptions): URL {
  const base = parseUrl(options.baseUrl);
  if (base === undefined || !['http:', 'https:'].includes(base.protocol)) {
    throw new TypeError('baseUrl must be an http or https address');
  }
  // A request would go elsewhere, and be refused where nobody looks.
  if (base.username + base.password + base.search + base.hash !== '' || /\/v5\/analytics\b/.test(base.pathname)) {
    throw new TypeError('baseUrl must be the address alone: without /api/v5/analytics, a user, a query or a fragment');
  }
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(base.hostname);
  if (base.protocol === 'http:' && !isHere && options.allowPlainHttp !== true) {
    throw new TypeError(
      'baseUrl must be https, because the license key goes with every request (or set allowPlainHttp)',
    );
  }
  return base;
}

/** The first Node of version 22 has no `URL.parse`. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Said at the start: an older Node would fail at each event, and where nobody looks. */
function checkNode(): void {
  if (!('rawJSON' in JSON))
    throw new TypeError(`@ringfence/client needs Node.js 22 or later; this is ${process.version}`);
}

function checkOneOf(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new TypeError(`${name} must be ${choices.map((one) => `"${one}"`).join(' or ')}`);
}

function checkPositive(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value <= 0) throw new TypeError(`${name} must be a whole number above 0`);
  return value;
}
