import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request } from 'undici';
import type { PartStore } from './file-delivery.ts';
import type { S3Target } from './stream-settings.ts';

const connectTimeoutMs = 10_000;
/** A store that takes or says nothing for this long has failed. */
const silenceMs = 60_000;
/** Of an error's answer, what is shown. */
const answerMax = 500;

/**
 * Objects in a bucket, put with a signed request and the hash of their content: an object is there whole once the
 * answer arrives, or as it was before. Source: Signature Version 4.
 */
export function s3Store(target: Omit<S3Target, 'kind' | 'format' | 'everyMs'>): PartStore {
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey, caPem } = target;
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs, ...(caPem === undefined ? {} : { ca: caPem }) },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  return {
    workFolder: tmpdir(),
    async publish(path, name, stop) {
      const key = prefix === '' ? name : `${prefix}/${name}`;
      const url = `${endpoint}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
      const { size } = await stat(path);
      const signed = await new AwsV4Signer({
        method: 'PUT',
        url,
        headers: { 'x-amz-content-sha256': await hashOf(path), 'content-type': 'application/octet-stream' },
        accessKeyId,
        secretAccessKey,
        region,
        service: 's3',
      }).sign();
      const answer = await request(signed.url, {
        method: 'PUT',
        headers: { ...Object.fromEntries(signed.headers), 'content-length': String(size) },
        body: createReadStream(path),
        dispatcher: agent,
        signal: stop,
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) {
        throw new Error(`${endpoint}/${bucket} answered ${answer.statusCode}: ${text.slice(0, answerMax)}`);
      }
      await rm(path, { force: true });
    },
  };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
