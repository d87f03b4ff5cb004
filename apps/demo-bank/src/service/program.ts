import { resolve } from 'node:path';

/** The command line program of Ringfence, as installed by `npm install`. */
export const program = resolve(import.meta.dirname, '../../../server/bin/ringfence.js');

/** Preloaded into it, so that it does not outlive the demo. */
export const leash = resolve(import.meta.dirname, 'leash.ts');

/** Variable of the leash: the folder that it removes. */
export const temporaryFolder = 'DEMO_TEMPORARY_FOLDER';

/** The environment of this process without variables that would change the demo's configuration. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const strange = /^(?:PORT|HOST|MANAGEMENT_PORT|MANAGEMENT_HOST|DATABASE_URL|RINGFENCE_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !strange.test(name)));
}
