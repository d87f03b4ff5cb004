import { resolve } from 'node:path';

/** The command line of Ringfence, as `npm install` puts it at people's disposal. */
export const program = resolve(import.meta.dirname, '../../../server/bin/ringfence.js');

/** What is loaded into it before, so that it does not outlive the demo. */
export const leash = resolve(import.meta.dirname, 'leash.ts');

/** This process's environment without what would change the demo's configuration. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const strange = /^(?:PORT|HOST|MANAGEMENT_PORT|MANAGEMENT_HOST|DATABASE_URL|RINGFENCE_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !strange.test(name)));
}
