import { minuteMs, Problem } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';
import { FailedAttempts } from '../platform/http/failed-attempts.ts';
import type { Environment, Workspace } from '../tenancy/workspaces/workspace.ts';
import { type IngestCell, type IngestDeps, ingestLimits } from './ingest-deps.ts';

/** The workspace and license key that sent a request. */
export interface Caller {
  readonly workspace: Workspace;
  readonly keyId: string;
  /** What its requests are answered from. */
  readonly cell: IngestCell;
}

/** Longer than any license key. A longer header is not examined. */
const tokenLengthMax = 512;

/** Authenticates requests by license key, and applies the key's rate limit. */
export class Callers {
  readonly #deps: IngestDeps;
  readonly #buckets = new TokenBuckets();
  readonly #wrongKeys: FailedAttempts;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    const perMinute = deps.limits?.wrongKeysPerMinute ?? ingestLimits.wrongKeysPerMinute;
    this.#wrongKeys = new FailedAttempts({ burst: perMinute, everyMs: minuteMs / perMinute });
  }

  /**
   * A valid key always passes, however many wrong keys came from its address: clients behind a proxy or a firewall
   * share one address.
   *
   * @throws Problem `key.invalid`, with the same answer for every kind of wrong key; `rate.limited` after too many of
   *   them; `log.unavailable` while a database is not open
   */
  authenticate(request: IncomingMessage, environment: Environment): Caller {
    const token = bearerToken(request.headers.authorization);
    const caller = this.#find(token, environment);
    if (caller === undefined) throw this.#wrongKey(request);
    return caller;
  }

  /** Compares with the keys of every database, whichever has this one. */
  #find(token: string, environment: Environment): Caller | undefined {
    let found: Caller | undefined;
    for (const cell of [this.#deps, ...(this.#deps.further?.() ?? [])]) {
      const caller = cell.registry.authenticate(token, environment);
      if (caller !== undefined) found ??= { ...caller, cell };
    }
    return found;
  }

  #wrongKey(request: IncomingMessage): Problem {
    if (this.#deps.isWhole?.() === false) {
      return new Problem('log.unavailable', 'A database cannot be reached, and this key may be of it. Send it again.', {
        retryAfterSeconds: 1,
      });
    }
    const { senders, now, logger } = this.#deps;
    const address = senders.addressOf(request);
    const nowMs = now();
    const retryAfterSeconds = this.#wrongKeys.waitSeconds(address, nowMs);
    if (retryAfterSeconds !== undefined) {
      return new Problem('rate.limited', 'Too many wrong license keys came from this address.', { retryAfterSeconds });
    }
    if (this.#wrongKeys.note(address, nowMs)) {
      logger.warn({ address }, 'too many wrong license keys from this address');
    }
    return new Problem(
      'key.invalid',
      'Send a live license key of this environment as "Authorization: Bearer <LICENSE_KEY>".',
    );
  }

  /** @throws Problem `rate.limited` */
  checkRate({ workspace, keyId }: Caller): void {
    const limit = workspace.settings.rateLimit;
    if (limit === undefined) return;
    const retryAfterSeconds = this.#buckets.take(keyId, limit, this.#deps.now());
    if (retryAfterSeconds === undefined) return;
    const detail = `This key may send ${limit.perSecond} requests per second, in bursts of up to ${limit.burst}.`;
    throw new Problem('rate.limited', detail, { retryAfterSeconds });
  }
}

/** The token of the header, or an empty token, which matches no key. The lookup runs either way. */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization.length > tokenLengthMax + 16) return '';
  if (authorization.startsWith('Bearer ')) return authorization.slice(7).trim();
  return /^bearer +(.*)$/i.exec(authorization)?.[1]?.trim() ?? '';
}

interface RateLimit {
  readonly perSecond: number;
  /** Requests that may arrive together. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** One token bucket per license key: it refills steadily up to the burst, and every request takes one token. */
class TokenBuckets {
  /** Bounded by the number of license keys: only authenticated requests get here. */
  readonly #buckets = new Map<string, Bucket>();

  /** @returns `undefined` if the request may pass, else the whole seconds until one may */
  take(keyId: string, limit: RateLimit, nowMs: number): number | undefined {
    const bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      this.#buckets.set(keyId, { tokens: limit.burst - 1, filledAtMs: nowMs });
      return undefined;
    }
    // A clock that was set back adds no tokens.
    const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
    bucket.tokens = Math.min(limit.burst, bucket.tokens + (elapsedMs / 1000) * limit.perSecond);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / limit.perSecond);
    bucket.tokens -= 1;
    return undefined;
  }
}
