import { userInfo } from 'node:os';
import type { CliIo } from './cli-io.ts';

/** The operating-system user that runs the command: `ana`, `ana as root` with sudo, `uid 1001` in a container. */
export function operatingUser({ environment }: Pick<CliIo, 'environment'>): string {
  const user = nameOfUser();
  const before = environment['SUDO_USER'];
  return before === undefined || before === '' || before === user ? user : `${before} as ${user}`;
}

/** The author shown to people: `--author`, otherwise `USER`, otherwise the operating-system user. */
export function authorOf(io: Pick<CliIo, 'environment'>, { author }: { readonly author?: string } = {}): string {
  if (author !== undefined) return author;
  const user = io.environment['USER'];
  return user === undefined || user === '' ? operatingUser(io) : user;
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without an entry in /etc/passwd.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
