/** Roles in a workspace. A person can have several. */
export const roles = ['viewer', 'analyst', 'decider', 'author', 'approver', 'administrator'] as const;
export type Role = (typeof roles)[number];

/**
 * `see` everything except personal data, `show` personal data, `work` on alerts and actions, `decide` about held payments,
 * `write` policies, `approve` policies of others, `administer` settings, keys and accounts.
 */
export const rights = ['see', 'show', 'work', 'decide', 'write', 'approve', 'administer'] as const;
export type Right = (typeof rights)[number];

const rightsOfRole: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['see'],
  analyst: ['see', 'show', 'work'],
  decider: ['see', 'show', 'work', 'decide'],
  author: ['see', 'write'],
  approver: ['see', 'approve'],
  administrator: rights,
};

/** Means all workspaces, including future ones, and the installation as a whole. */
export const everywhere = '*';

/** The roles of an account by workspace id, or `everywhere`. */
export type Roles = Readonly<Record<string, readonly Role[]>>;

/**
 * The rights that these roles grant in a workspace or, with `everywhere`, in the installation as a whole. In the order
 * of `rights`.
 */
export function rightsIn(granted: Roles, workspaceId: string): readonly Right[] {
  const here = [...(granted[everywhere] ?? []), ...(workspaceId === everywhere ? [] : (granted[workspaceId] ?? []))];
  const allowed = new Set(here.flatMap((role) => rightsOfRole[role]));
  return rights.filter((right) => allowed.has(right));
}
