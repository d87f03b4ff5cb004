/** Where the kernel shows itself as files: nothing can be kept there, and making a folder does not end. */
const kernelFolders = ['/proc', '/sys', '/dev'];
/** Memory that can be written to, below /dev. */
const memoryFolder = '/dev/shm';

/** Why an absolute path cannot be the home of an installation; a whole sentence without its full stop. */
export function homeRefusal(home: string): string | undefined {
  const isIn = (folder: string): boolean => home === folder || home.startsWith(`${folder}/`);
  if (isIn(memoryFolder)) return undefined;
  const folder = kernelFolders.find(isIn);
  return folder === undefined ? undefined : `expected a folder on a disk, and ${home} is in ${folder}`;
}
