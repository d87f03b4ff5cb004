/**
 * Whether an action is urgent: 1 blocks the user and 2 closes the session, and both lose their value within minutes.
 * Urgent actions wait for no other action, are retried faster at first, and have their own connections.
 */
export function isUrgent(action: number): boolean {
  return action === 1 || action === 2;
}
