/** Virtual file systems of the kernel: nothing can be stored there, and creating a folder there may hang. */
const kernelFolders = ['/proc', '/sys', '/dev'];
/** A writable file system in memory, below /dev. */
const memoryFolder = '/dev/shm';

/** Why an absolute path cannot be the home of an installation: an error message without a full stop. */
export function homeRefusal(home: string): string | undefined {
  const isIn = (folder: string): boolean => home === folder || home.startsWith(`${folder}/`);
  if (isIn(memoryFolder)) return undefined;
  const folder = kernelFolders.find(isIn);
  return folder === undefined ? undefined : `expected a folder on a disk, but ${home} is in ${folder}`;
}
