import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { FailedAttempts } from '../../platform/http/failed-attempts.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import type { Account } from './account.ts';
import { readAccount } from './account-rows.ts';
import { emailName } from './email-name.ts';
import { HashingBusyError, isPassword } from './password-hash.ts';
import { RefusedLogIn } from './refused-log-in.ts';
import { useSecondFactor } from './second-factor.ts';

/** Rate limit per address and per account: ten wrong attempts, then one a minute. */
const wrongTries = { burst: 10, everyMs: 60_000 };

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, or a recovery code. */
  readonly code?: string | undefined;
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
}

/**
 * Authenticates people by password and second factor. Whether the address or the password is wrong, the answer is the
 * same after the same amount of work; after ten wrong attempts the rate limit applies.
 */
export class LogIns {
  readonly #deps: LogInDeps;
  readonly #addresses = new FailedAttempts(wrongTries);
  readonly #accounts = new FailedAttempts(wrongTries);

  constructor(deps: LogInDeps) {
    this.#deps = deps;
  }

  /** @throws Problem `rate.limited`, the first time as a `RefusedLogIn`, while this address has failed too often */
  admit(address: string): void {
    this.#wait(address, undefined);
  }

  /** Counts a request of this address that failed before its credentials could be checked. */
  countFailure(address: string): void {
    this.#addresses.note(address, this.#deps.now());
  }

  /**
   * @throws Problem `login.refused`, `code.required` or `rate.limited`; a `RefusedLogIn` for every wrong attempt, and
   * for the first rate-limited one after it, so that the audit log grows no faster than the limit admits attempts
   */
  async prove({ email, password, code }: Credentials, address: string): Promise<ProvenAccount> {
    const { pool, master, now } = this.#deps;
    const name = emailName(email);
    this.#wait(address, name);
    const found = await findByEmail(pool, name);
    const right = await unlessBusy(() => isPassword(password, found?.password));
    // Others may have failed while this attempt waited for its turn.
    this.#wait(address, name);
    if (found === undefined || !right) throw this.#wrong(address, name, 'E-mail address or password is wrong.');
    const account = await readAccount(pool, found.id);
    const proven = { account, passwordHash: found.password };
    if (!account.hasSecondFactor) return proven;
    if (code === undefined) {
      throw new Problem('code.required', 'Send `code` as well: six digits of the app, or a recovery code.');
    }
    if (await useSecondFactor({ pool, master }, { accountId: account.id, code, nowMs: now() })) return proven;
    throw this.#wrong(address, name, 'The code is wrong or was already used.');
  }

  /**
   * Verifies the password of an account that has a session.
   *
   * @returns the hash that it was verified against
   * @throws the same problems as `prove`
   */
  async proveAgain(account: Pick<Account, 'id' | 'email'>, password: string, address: string): Promise<string> {
    this.#wait(address, account.email);
    const found = await findByEmail(this.#deps.pool, account.email);
    const right = await unlessBusy(() => isPassword(password, found?.password));
    if (found === undefined || !right) throw this.#wrong(address, account.email, 'The password is wrong.');
    return found.password;
  }

  /**
   * Counts an attempt to enter the first code of a second factor. Every attempt counts like a wrong one, so that
   * concurrent ones count too: with enough attempts, six digits can be guessed.
   *
   * @throws Problem `rate.limited`, the first time as a `RefusedLogIn`
   */
  countTry({ email }: Pick<Account, 'email'>, address: string): void {
    this.#wait(address, email);
    this.#note(address, email);
  }

  #wait(address: string, name: string | undefined): void {
    const nowMs = this.#deps.now();
    const ofAddress = this.#addresses.waitSeconds(address, nowMs) ?? 0;
    const ofAccount = name === undefined ? 0 : (this.#accounts.waitSeconds(name, nowMs) ?? 0);
    const retryAfterSeconds = Math.max(ofAddress, ofAccount);
    if (retryAfterSeconds === 0) return;
    const detail = `Too many failed log-ins. Try again in ${retryAfterSeconds} s.`;
    const isFirst = ofAddress > 0 ? this.#addresses.tell(address) : this.#accounts.tell(name!);
    throw new (isFirst ? RefusedLogIn : Problem)('rate.limited', detail, { retryAfterSeconds });
  }

  #note(address: string, name: string): void {
    const nowMs = this.#deps.now();
    this.#addresses.note(address, nowMs);
    this.#accounts.note(name, nowMs);
  }

  #wrong(address: string, name: string, detail: string): Problem {
    this.#note(address, name);
    return new RefusedLogIn('login.refused', detail);
  }
}

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
