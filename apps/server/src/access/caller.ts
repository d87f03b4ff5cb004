import { type ApiToken, authorOf, isForWorkspace } from './tokens/api-tokens.ts';
import { everywhere, type Right, rights, rightsIn } from './accounts/roles.ts';
import type { ConsoleSession } from './accounts/sessions.ts';

/** The sender of a request to the management API. */
export type Caller =
  | { readonly kind: 'nobody' }
  /** A program with the admin token, which has every right. */
  | { readonly kind: 'machine' }
  /** A program with a token, which may do what the scopes of the token say, in the workspaces of the token. */
  | { readonly kind: 'token'; readonly apiToken: ApiToken }
  | { readonly kind: 'person'; readonly session: ConsoleSession; readonly token: string };

/**
 * The rights of a caller in a workspace; `everywhere`: in the installation as a whole. Tokens have scopes and no rights.
 */
export function rightsOf(caller: Caller, workspaceId: string): readonly Right[] {
  switch (caller.kind) {
    case 'nobody':
    case 'token':
      return [];
    case 'machine':
      return rights;
    case 'person':
      return rightsIn(caller.session.account.roles, workspaceId);
  }
}

export function may(caller: Caller, right: Right, workspaceId: string = everywhere): boolean {
  return rightsOf(caller, workspaceId).includes(right);
}

/** Whether a workspace exists for the caller. */
export function knowsWorkspace(caller: Caller, workspaceId: string): boolean {
  if (caller.kind === 'token') return isForWorkspace(caller.apiToken, workspaceId);
  return rightsOf(caller, workspaceId).length > 0;
}

/** The display name of a caller, also in the audit log: for a person the e-mail address. */
export function nameOf(caller: Caller): string {
  switch (caller.kind) {
    case 'nobody':
      return 'nobody';
    case 'machine':
      return 'admin token';
    case 'token':
      return authorOf(caller.apiToken);
    case 'person':
      return caller.session.account.email;
  }
}
