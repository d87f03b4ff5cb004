import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import type { PartFile } from './delivery.ts';

/** A message for each line, with gzip. */
export function ndjsonFile(path: string): PartFile {
  const gzip = createGzip();
  const target = createWriteStream(path, { flush: true });
  gzip.pipe(target);
  // What fails is thrown by the next `add`, or by `finish`.
  let failed: Error | undefined;
  target.on('error', (error) => {
    failed = error;
    gzip.destroy();
  });
  gzip.on('error', () => {});
  return {
    async add(_message, json) {
      if (failed !== undefined) throw failed;
      if (!gzip.write(`${json}\n`)) await Promise.race([once(gzip, 'drain'), once(target, 'close')]);
    },
    async finish() {
      gzip.end();
      await finished(target);
    },
    async abandon() {
      gzip.destroy();
      target.destroy();
      await rm(path, { force: true });
    },
  };
}
