/**
 * What a look at a file answers, or `undefined` when nothing is there. Every other trouble is thrown: a folder that may
 * not be read, or a disk that fails, says nothing about what is in it.
 */
export async function ifThere<Answer>(look: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await look;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
