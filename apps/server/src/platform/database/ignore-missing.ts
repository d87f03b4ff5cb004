/**
 * The result of a file operation, or `undefined` if the file does not exist. Other errors are thrown: an unreadable
 * folder or a failing disk does not mean that the file is missing.
 */
export async function ignoreMissing<Answer>(look: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await look;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
