/**
 * Preloaded into the service: `node --import leash.ts ringfence serve --config FILE`. It holds the other end of a pipe
 * of the demo. When the demo ends, even by kill -9, the service and its database shut down cleanly, and their temporary
 * folder is removed.
 */
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { temporaryFolder } from './program.ts';

// Worker threads of the service load it too.
if (isMainThread) {
  const pipe = process.stdin as unknown as Socket;
  pipe.resume().once('end', () => {
    const folder = process.env[temporaryFolder];
    if (folder !== undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    process.kill(process.pid, 'SIGTERM');
  });
  // A service that is shutting down does not wait for the demo.
  pipe.unref();
}
