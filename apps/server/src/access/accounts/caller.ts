import { everywhere, type Right, rights, rightsIn } from './roles.ts';
import type { ConsoleSession } from './sessions.ts';

/** The sender of a request to the management API. */
export type Caller =
  | { readonly kind: 'nobody' }
  /** A program with the admin token, which has every right. */
  | { readonly kind: 'machine' }
  | { readonly kind: 'person'; readonly session: ConsoleSession; readonly token: string };

/** The rights of a caller in a workspace; `everywhere`: in the installation as a whole. */
export function rightsOf(caller: Caller, workspaceId: string): readonly Right[] {
  switch (caller.kind) {
    case 'nobody':
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

/** The display name of a caller: for a person the e-mail address. */
export function nameOf(caller: Caller): string {
  return caller.kind === 'person' ? caller.session.account.email : caller.kind === 'machine' ? 'admin token' : 'nobody';
}
