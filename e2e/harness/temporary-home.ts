import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryHome {
  readonly path: string;
  remove(): Promise<void>;
}

/** An empty folder for one run. As root, PostgreSQL runs as another user, who must be able to enter it. */
export async function temporaryHome(name: string): Promise<TemporaryHome> {
  const path = await mkdtemp(join(tmpdir(), `ringfence-${name}-`));
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
