import { rangesOf } from '@ringfence/delivery';
import { Client, type Dispatcher } from 'undici';
import { deadlineMs, keepAliveMs } from '../bounds.ts';
import { type ConnectionRules, type ConnectionStep, guardedConnector } from './guarded-connector.ts';
import type { ConnectionFacts, Endpoint } from './transport.ts';

/**
 * One keep-alive connection to an endpoint, for one request at a time: so the facts of a connection belong to the
 * request that it serves, and a hung one blocks no other. Connects on first use, and reconnects when necessary.
 */
export class Connection {
  readonly #client: Client;
  readonly #proxy: string | undefined;
  /** Steps of the open connection, or of the last attempt to connect. */
  #steps: ConnectionStep[] = [];
  #begunAtMs = 0;

  constructor(endpoint: Endpoint, rules: ConnectionRules) {
    const { url, proxy, caPem: ca, clientCertificatePem: cert, clientKeyPem: key } = endpoint.settings;
    this.#proxy = proxy === undefined ? undefined : new URL(proxy).host;
    this.#client = new Client(new URL(url).origin, {
      connect: guardedConnector({
        rules: { ...rules, allow: rangesOf(endpoint, rules.allow) },
        httpsRequired: endpoint.environment === 'production',
        proxy: proxy === undefined ? undefined : new URL(proxy),
        tls: { ca, cert, key },
        report: (step) => {
          if (step.kind === 'begun') this.#steps = [];
          this.#steps.push(step);
        },
      }),
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The caller enforces the overall deadline; these only end connections that it has given up.
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    this.#begunAtMs = performance.now();
    return this.#client.request(options);
  }

  /** How the connection of the current request was established. */
  facts(): ConnectionFacts {
    return connectionFacts(this.#steps, { begunAtMs: this.#begunAtMs, proxy: this.#proxy });
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }
}

/** How a connection was established, by its steps, for a request that began at `begunAtMs`. */
export function connectionFacts(
  steps: readonly ConnectionStep[],
  { begunAtMs, proxy }: { readonly begunAtMs: number; readonly proxy: string | undefined },
): ConnectionFacts {
  const { begun, resolved, connected, secured } = Object.fromEntries(steps.map((step) => [step.kind, step])) as {
    readonly [Kind in ConnectionStep['kind']]?: Extract<ConnectionStep, { kind: Kind }>;
  };
  const reused = begun === undefined || begun.atMs < begunAtMs;
  const span = (from?: ConnectionStep, to?: ConnectionStep): number | undefined =>
    reused || from === undefined || to === undefined ? undefined : to.atMs - from.atMs;
  return {
    resolved: resolved?.addresses ?? [],
    address: connected?.address,
    proxy,
    tls: secured?.tls,
    resolveMs: span(begun, resolved),
    connectMs: span(resolved, connected),
    tlsMs: span(connected, secured),
    reused: reused && connected !== undefined,
  };
}
