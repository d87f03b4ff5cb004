import type { Roles } from './roles.ts';

/** A person who uses the console. */
export interface Account {
  readonly id: string;
  /** In lower case; unique. */
  readonly email: string;
  readonly name: string;
  /** BCP 47: `es`, `pt-BR`. */
  readonly language: string;
  readonly roles: Roles;
  /** Whether it has a password here. */
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  /** The OpenID provider of the account; `undefined` for local accounts. */
  readonly issuer: string | undefined;
  readonly createdAtMs: number;
  readonly disabledAtMs: number | undefined;
}
