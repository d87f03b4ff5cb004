/**
 * Adds to package-lock.json the optional packages of other platforms that the configured registry does not have, with
 * the platform in their name. Without them `npm ci` rejects the lock file, on every machine. Changes nothing if none is
 * missing. See docs/decisions/0030-house-rules-as-tests.md.
 *
 *     node tools/lock/complete-lock.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { completed, type Lock } from './missing-platforms.ts';

const file = new URL('../../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
writeFileSync(file, `${JSON.stringify(completed(lock), undefined, 2)}\n`);
