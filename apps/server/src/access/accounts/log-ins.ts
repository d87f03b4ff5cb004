import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { FailedAttempts } from '../../platform/http/failed-attempts.ts';
import type { LogInFailure } from '../../platform/observability/metrics.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import type { Account } from './account.ts';
import { readAccount } from './account-rows.ts';
import { type KnownDevice, openDevice } from './device-cookie.ts';
import { emailName } from './email-name.ts';
import { HashingBusyError, isPassword } from './password-hash.ts';
import { RefusedLogIn } from './refused-log-in.ts';
import { useSecondFactor } from './second-factor.ts';

/** Rate limit per address, per account and per known browser: ten wrong attempts, then one a minute. */
const wrongTries = { burst: 10, everyMs: 60_000 };

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, or a recovery code. */
  readonly code?: string | undefined;
}

/** Where an attempt comes from. */
export interface Origin {
  readonly address: string;
  /** The content of the browser's device cookie, as it was sent. */
  readonly device: string | undefined;
}

/** An account that was authenticated by password. */
export interface ProvenAccount {
  readonly account: Account;
  /** The hash that the password was verified against: later steps require that it is still the hash of the account. */
  readonly passwordHash: string;
}

interface LogInDeps {
  readonly pool: Pool;
  readonly master: MasterKeys;
  readonly now: () => number;
  /** Hears of every failure, of `limited` ones only of the first. */
  readonly onFailed: (why: LogInFailure, address: string) => void;
}

/**
 * Authenticates people by password and second factor. Whether the address or the password is wrong, the answer is the
 * same after the same amount of work; after ten wrong attempts the rate limit applies.
 *
 * Failures count for the address and the account: of all browsers together, which so could lock the right person out. A
 * browser that has logged in to the account before proves it by its device cookie, and counts apart from this crowd.
 * Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies.
 */
export class LogIns {
  readonly #deps: LogInDeps;
  readonly #addresses = new FailedAttempts(wrongTries);
  readonly #accounts = new FailedAttempts(wrongTries);
  /** Known browsers, and people with a session. */
  readonly #apart = new FailedAttempts(wrongTries);

  constructor(deps: LogInDeps) {
    this.#deps = deps;
  }

  /** @throws Problem `rate.limited`, the first time as a `RefusedLogIn`, while this address has failed too often */
  admit(origin: Origin): void {
    const device = this.#deviceOf(origin);
    this.#wait(origin.address, device === undefined ? this.#crowd(origin) : [known(this.#apart, device)]);
  }

  /** Counts a request that failed before its credentials could be checked, or guessed a link. */
  countFailure(origin: Origin): void {
    const device = this.#deviceOf(origin);
    this.#count(device === undefined ? this.#crowd(origin) : [known(this.#apart, device)]);
    this.#deps.onFailed('unreadable', origin.address);
  }

  /** Counts and logs a log-in that the OpenID provider's answer did not prove. Its attempts have a limit of their own. */
  noteOpenId(address: string): void {
    this.#deps.onFailed('openId', address);
  }

  /**
   * @throws Problem `login.refused`, `code.required` or `rate.limited`; a `RefusedLogIn` for every wrong attempt, and
   * for the first rate-limited one after it, so that the audit log grows no faster than the limit admits attempts
   */
  async prove({ email, password, code }: Credentials, origin: Origin): Promise<ProvenAccount> {
    const { pool, master, now } = this.#deps;
    const { address } = origin;
    const name = emailName(email);
    const device = this.#deviceOf(origin);
    const counts =
      device?.email === name
        ? [known(this.#apart, device)]
        : [...this.#crowd(origin), { attempts: this.#accounts, name }];
    this.#wait(address, counts);
    const found = await findByEmail(pool, name);
    const right = await unlessBusy(() => isPassword(password, found?.password));
    // Others may have failed while this attempt waited for its turn.
    this.#wait(address, counts);
    const wrong = (why: LogInFailure, detail: string): Problem => this.#wrong(address, counts, { why, detail });
    if (found === undefined || !right) throw wrong('password', 'E-mail address or password is wrong.');
    const account = await readAccount(pool, found.id);
    const proven = { account, passwordHash: found.password };
    if (!account.hasSecondFactor) return proven;
    if (code === undefined) {
      throw new Problem('code.required', 'Send `code` as well: six digits of the app, or a recovery code.');
    }
    const used = await useSecondFactor({ pool, master }, { accountId: account.id, code, nowMs: now() });
    if (used === 'right') return proven;
    if (used === 'usedUp') throw wrong('codesUsedUp', usedUp);
    throw wrong('code', 'The code is wrong or was already used.');
  }

  /**
   * Verifies the password of an account that has a session. Such attempts count apart from those without one.
   *
   * @returns the hash that it was verified against
   * @throws the same problems as `prove`
   */
  async proveAgain(account: Pick<Account, 'id' | 'email'>, password: string, address: string): Promise<string> {
    const counts = this.#ofSession(account);
    this.#wait(address, counts);
    const found = await findByEmail(this.#deps.pool, account.email);
    const right = await unlessBusy(() => isPassword(password, found?.password));
    if (found === undefined || !right)
      throw this.#wrong(address, counts, { why: 'password', detail: 'The password is wrong.' });
    return found.password;
  }

  /**
   * Counts an attempt to enter the first code of a second factor. Every attempt counts like a wrong one, so that
   * concurrent ones count too: with enough attempts, six digits can be guessed.
   *
   * @throws Problem `rate.limited`, the first time as a `RefusedLogIn`
   */
  countTry(account: Pick<Account, 'id'>, address: string): void {
    this.#wait(address, this.#ofSession(account));
    this.#count(this.#ofSession(account));
  }

  /** The browser that this cookie proves; `undefined` while it has failed too often, and counts with all others. */
  #deviceOf({ device }: Origin): KnownDevice | undefined {
    const { master, now } = this.#deps;
    const opened = device === undefined ? undefined : openDevice(master, device, now());
    return opened === undefined || this.#apart.waitSeconds(opened.id, now()) !== undefined ? undefined : opened;
  }

  #crowd({ address }: Origin): readonly Count[] {
    return [{ attempts: this.#addresses, name: address }];
  }

  #ofSession({ id }: Pick<Account, 'id'>): readonly Count[] {
    return [{ attempts: this.#apart, name: id }];
  }

  #wait(address: string, counts: readonly Count[]): void {
    const nowMs = this.#deps.now();
    const waits = counts.map((count) => ({ ...count, seconds: count.attempts.waitSeconds(count.name, nowMs) ?? 0 }));
    const retryAfterSeconds = Math.max(...waits.map(({ seconds }) => seconds));
    if (retryAfterSeconds === 0) return;
    const detail = `Too many failed log-ins. Try again in ${retryAfterSeconds} s.`;
    const { attempts, name } = waits.find(({ seconds }) => seconds > 0)!;
    const isFirst = attempts.tell(name);
    if (isFirst) this.#deps.onFailed('limited', address);
    throw new (isFirst ? RefusedLogIn : Problem)('rate.limited', detail, { retryAfterSeconds });
  }

  #count(counts: readonly Count[]): void {
    for (const { attempts, name } of counts) attempts.note(name, this.#deps.now());
  }

  #wrong(
    address: string,
    counts: readonly Count[],
    { why, detail }: { readonly why: LogInFailure; readonly detail: string },
  ): Problem {
    this.#count(counts);
    this.#deps.onFailed(why, address);
    return new RefusedLogIn('login.refused', detail);
  }
}

/** Where failures of an attempt are counted, and under which name. */
interface Count {
  readonly attempts: FailedAttempts;
  readonly name: string;
}

function known(attempts: FailedAttempts, { id }: KnownDevice): Count {
  return { attempts, name: id };
}

const usedUp =
  'Too many wrong codes were tried: use a recovery code, or let an administrator remove the second factor.';

async function findByEmail(
  pool: Pool,
  email: string,
): Promise<{ readonly id: string; readonly password: string } | undefined> {
  const found = await pool.query<{ id: string; password: string }>(
    `select id, password from account where email = $1 and password is not null and disabled_at is null`,
    [email],
  );
  return found.rows[0];
}

/** Seconds until the queue of hashes is likely shorter. */
const busySeconds = 5;

/** @throws Problem `rate.limited` while too many passwords are being hashed */
export async function unlessBusy<Result>(hashing: () => Promise<Result>): Promise<Result> {
  try {
    return await hashing();
  } catch (error) {
    if (!(error instanceof HashingBusyError)) throw error;
    const detail = 'Too many people are logging in at the moment.';
    throw new Problem('rate.limited', detail, { cause: error, retryAfterSeconds: busySeconds });
  }
}
