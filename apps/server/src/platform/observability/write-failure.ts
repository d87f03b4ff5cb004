/** What the system says when something cannot be written, in words. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'what it stands in is no folder',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'files of that size are not allowed',
  ENAMETOOLONG: 'the name is too long',
};

const outOfRoom: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const forbidden: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Why a file cannot be written; `undefined` for an error that says nothing of files. */
export function writeRefusal(error: unknown): string | undefined {
  return reasons[codeOf(error)];
}

/** Whether there is no room: on the disk, for this user, or for a file of that size. */
export function isOutOfRoom(error: unknown): boolean {
  return outOfRoom.has(codeOf(error));
}

/** Whether this user may not, or nobody may. */
export function isForbidden(error: unknown): boolean {
  return forbidden.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
