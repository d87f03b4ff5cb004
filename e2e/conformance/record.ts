/**
 * Writes the recording that `test/conformance.test.ts` compares with.
 *
 *     node e2e/conformance/record.ts path/to/another/checkout/apps/server/bin/ringfence.js
 *
 * The present one was recorded from the last commit before holds, outcomes and signed headers, 59d570cb.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { play } from './play.ts';

const [program] = process.argv.slice(2);
const recording = await play(program === undefined ? undefined : resolve(program));
await writeFile(new URL('recording.json', import.meta.url), `${JSON.stringify(recording, undefined, 2)}\n`);
