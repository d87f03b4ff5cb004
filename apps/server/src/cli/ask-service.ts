import { type IncomingMessage, request as askPlain } from 'node:http';
import { request as askEncrypted } from 'node:https';
import { json } from 'node:stream/consumers';
import type { Listener } from '../config/configuration.ts';
import type { Readiness } from '../platform/observability/health.ts';

/** What a service that runs says of itself. */
export interface ServiceAnswer {
  readonly ok: boolean;
  readonly checks: Readiness['checks'];
}

/** A local answer takes milliseconds; the service itself gives its checks 2 s. */
const answerMsMax = 2_500;

/** Where a service with this listener can be asked from its own machine. */
export function healthUrl({ host, port, tls }: Listener, path: '/healthz' | '/readyz'): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const shown = reachable.includes(':') ? `[${reachable}]` : reachable;
  return `${tls === undefined ? 'http' : 'https'}://${shown}:${port}${path}`;
}

/**
 * Asks the service at `url` how it is.
 *
 * Its certificate is not checked: it was made for the name that others call the service by, may just have been
 * replaced on the disk, and nothing secret is sent or heard.
 *
 * @throws Error when nothing answers there in time, or something else than Ringfence does
 */
export async function askService(url: string): Promise<ServiceAnswer> {
  const signal = AbortSignal.timeout(answerMsMax);
  try {
    return await ask(url, signal);
  } catch (error) {
    throw signal.aborted ? new Error(`none came within ${answerMsMax} ms`, { cause: error }) : error;
  }
}

async function ask(url: string, signal: AbortSignal): Promise<ServiceAnswer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.startsWith('https:') ? askEncrypted : askPlain;
    request(url, { signal, agent: false, rejectUnauthorized: false }, resolve).on('error', reject).end();
  });
  const said = (await json(answer)) as { readonly status?: unknown; readonly checks?: Readiness['checks'] } | null;
  if (typeof said?.status !== 'string') throw new Error('what answers there is not Ringfence');
  return { ok: answer.statusCode === 200, checks: said.checks ?? {} };
}

/** What is wrong, by name: `database failed`. */
export function notWell(checks: Readiness['checks']): readonly string[] {
  return Object.entries(checks).flatMap(([name, state]) => (state === 'well' ? [] : [`${name} ${state}`]));
}
