import { userInfo } from 'node:os';
import type { CliIo } from './cli-io.ts';

/** Who runs the command, as far as the operating system knows: `ana`, `ana as root` with sudo, `uid 1001` in a container. */
export function operatingUser({ environment }: Pick<CliIo, 'environment'>): string {
  const user = nameOfUser();
  const before = environment['SUDO_USER'];
  return before === undefined || before === '' || before === user ? user : `${before} as ${user}`;
}

/** The author of what people read: who is named, else whose shell it is, as that says itself. */
export function authorOf(io: Pick<CliIo, 'environment'>, { author }: { readonly author?: string } = {}): string {
  if (author !== undefined) return author;
  const user = io.environment['USER'];
  return user === undefined || user === '' ? operatingUser(io) : user;
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers may run as a user that no file names.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
