/** Descriptions of the system's error codes for a failed write. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'its parent is not a folder',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'files of that size are not allowed',
  ENAMETOOLONG: 'the name is too long',
};

const outOfRoom: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const forbidden: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Why a file cannot be written; `undefined` for an error that is not about files. */
export function writeFailure(error: unknown): string | undefined {
  return reasons[codeOf(error)];
}

/** Whether space is missing: on the disk, in the user's quota, or for a file of that size. */
export function isOutOfSpace(error: unknown): boolean {
  return outOfRoom.has(codeOf(error));
}

/** Whether writing is forbidden, for this user or for everyone. */
export function isForbidden(error: unknown): boolean {
  return forbidden.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
