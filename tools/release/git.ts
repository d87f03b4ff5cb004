import { execFileSync } from 'node:child_process';

/** What git prints about the checkout in that folder, which another user may own. */
export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', `safe.directory=${root}`, ...args], { cwd: root })
    .toString()
    .trim();
}
