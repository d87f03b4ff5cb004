import { Problem } from '@ringfence/contract';
import type { Environment, Workspace } from '../workspaces/workspace.ts';
import type { DoorDeps } from './door-deps.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Whose request it is. */
export interface Caller {
  readonly workspace: Workspace;
  readonly keyId: string;
}

/** Longer than any license key. A header that is longer is not looked at. */
const tokenLengthMax = 512;

/** Tells whose request it is, by its license key, and whether the key has requests left. */
export class Callers {
  readonly #deps: Pick<DoorDeps, 'registry' | 'now'>;
  readonly #buckets = new TokenBuckets();

  constructor(deps: Pick<DoorDeps, 'registry' | 'now'>) {
    this.#deps = deps;
  }

  /** @throws Problem `key.invalid`, the same whatever is wrong with the key */
  authenticate(authorization: string | undefined, environment: Environment): Caller {
    const token = bearerToken(authorization);
    const caller = this.#deps.registry.authenticate(token, environment);
    if (caller === undefined) {
      throw new Problem(
        'key.invalid',
        'Send a live license key of this environment as "Authorization: Bearer <LICENSE_KEY>".',
      );
    }
    return caller;
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
