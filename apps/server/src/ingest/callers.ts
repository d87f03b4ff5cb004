import { minuteMs, Problem } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';
import { FailedAttempts } from '../platform/http/failed-attempts.ts';
import type { Environment, Workspace } from '../tenancy/workspaces/workspace.ts';
import { type DoorDeps, doorLimits } from './ingest-deps.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Whose request it is. */
export interface Caller {
  readonly workspace: Workspace;
  readonly keyId: string;
}

/** Longer than any license key. A header that is longer is not looked at. */
const tokenLengthMax = 512;

type CallersDeps = Pick<DoorDeps, 'registry' | 'senders' | 'now' | 'logger' | 'limits'>;

/** Tells whose request it is, by its license key, and whether the key has requests left. */
export class Callers {
  readonly #deps: CallersDeps;
  readonly #buckets = new TokenBuckets();
  readonly #wrongKeys: FailedAttempts;

  constructor(deps: CallersDeps) {
    this.#deps = deps;
    const perMinute = deps.limits?.wrongKeysPerMinute ?? doorLimits.wrongKeysPerMinute;
    this.#wrongKeys = new FailedAttempts({ burst: perMinute, everyMs: minuteMs / perMinute });
  }

  /**
   * A right key passes, whatever came from its address before: behind a proxy or a firewall, many share one.
   *
   * @throws Problem `key.invalid`, the same whatever is wrong with the key; `rate.limited` when too many wrong ones came
   */
  authenticate(request: IncomingMessage, environment: Environment): Caller {
    const token = bearerToken(request.headers.authorization);
    const caller = this.#deps.registry.authenticate(token, environment);
    if (caller === undefined) throw this.#wrongKey(request);
    return caller;
  }

  #wrongKey(request: IncomingMessage): Problem {
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
    const detail = `This key may send ${limit.perSecond} requests a second, and ${limit.burst} at once.`;
    throw new Problem('rate.limited', detail, { retryAfterSeconds });
  }
}

/** The empty token, which is nobody's key, for a header that holds none: it is looked up all the same. */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization.length > tokenLengthMax + 16) return '';
  if (authorization.startsWith('Bearer ')) return authorization.slice(7).trim();
  return /^bearer +(.*)$/i.exec(authorization)?.[1]?.trim() ?? '';
}
