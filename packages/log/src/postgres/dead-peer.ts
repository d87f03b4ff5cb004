/**
 * Statements for a new connection: PostgreSQL ends it, and frees its locks, 10 s after the machine of this process lost
 * its power or its network. By default it waits for two hours, and for a quarter of an hour while an answer is under
 * way; meanwhile a lock of the dead session stops the other processes. Without effect on a Unix socket.
 *
 * @param unreadSecondsMax how long an answer may wait in the network because this process does not read it
 */
export function endWithDeadPeer(unreadSecondsMax = 10): string {
  return `SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = '${unreadSecondsMax}s'`;
}

/** The same on this side, `pg` options: after 5 s of silence the server is asked, and 10 s later given up. */
export const leaveDeadServer = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;
