/** Why a file cannot be read, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'not allowed';
  return code === 'EISDIR' ? 'it is a folder' : message;
}
