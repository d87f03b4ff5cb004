/** What somebody may do in a workspace. A person can have several roles there. */
export const roles = ['viewer', 'analyst', 'author', 'approver', 'administrator'] as const;
export type Role = (typeof roles)[number];

/**
 * `see` everything but what is personal, `show` what is personal, `work` on alerts and actions, `write` policies,
 * `approve` what others wrote, `administer` settings, keys and accounts.
 */
export const rights = ['see', 'show', 'work', 'write', 'approve', 'administer'] as const;
export type Right = (typeof rights)[number];

const rightsOfRole: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['see'],
  analyst: ['see', 'show', 'work'],
  author: ['see', 'write'],
  approver: ['see', 'approve'],
  administrator: rights,
};

/** Stands for every workspace, those that are made later among them, and for the installation as a whole. */
export const everywhere = '*';

/** The roles of an account by the id of the workspace, or `everywhere`. */
export type Roles = Readonly<Record<string, readonly Role[]>>;

/** What these roles allow in a workspace; with `everywhere`, in the installation as a whole. In the order of `rights`. */
export function rightsIn(granted: Roles, workspaceId: string): readonly Right[] {
  const here = [...(granted[everywhere] ?? []), ...(workspaceId === everywhere ? [] : (granted[workspaceId] ?? []))];
  const allowed = new Set(here.flatMap((role) => rightsOfRole[role]));
  return rights.filter((right) => allowed.has(right));
}
