/**
 * Writes into package-lock.json the optional packages of other platforms that the registry at hand does not have, with
 * the platform that their name says. Without them `npm ci` refuses the lock file, on every machine. Changes nothing
 * when nothing is missing. See docs/decisions/0030-house-rules-as-tests.md.
 *
 *     node tools/lock/complete-lock.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { completed, type Lock } from './missing-platforms.ts';

const file = new URL('../../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
writeFileSync(file, `${JSON.stringify(completed(lock), undefined, 2)}\n`);
