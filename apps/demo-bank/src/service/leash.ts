/**
 * Loaded into the service before its own program, as `node --import leash.ts ringfence serve --config FILE`. It holds the
 * other end of a pipe of the demo's: when that ends, also by kill -9, the service stops as if it was asked to, with its
 * database, and the folder of its configuration file goes.
 */
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';

// The service's threads load it too.
if (isMainThread) {
  const pipe = process.stdin as unknown as Socket;
  pipe.resume().once('end', () => {
    const folder = dirname(process.argv.at(-1)!);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    process.kill(process.pid, 'SIGTERM');
  });
  // A service that was asked to stop waits for no demo.
  pipe.unref();
}
