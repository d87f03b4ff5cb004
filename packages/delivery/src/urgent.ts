/**
 * Whether an action must not wait: 1 blocks the user and 2 closes the session, and both are worth little minutes later.
 * Urgent actions wait for no other action, are retried faster at first, and have connections of their own.
 */
export function isUrgent(action: number): boolean {
  return action === 1 || action === 2;
}
