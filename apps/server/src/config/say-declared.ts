import type { Logger } from 'pino';
import type { Declared } from './declare-workspaces.ts';

/** Says what a start applied, and what people should mend. */
export function sayDeclared({ declared }: Declared, logger: Logger): void {
  for (const warning of declared.warnings) logger.warn(warning);
  for (const workspace of declared.applied) logger.info({ workspace }, 'applied the configuration file');
  for (const workspace of declared.released) {
    logger.info({ workspace }, 'no longer in the configuration file; kept, and now owned by the management API');
  }
}

/** The same of a database that was opened later. A terminal may not be there any more, so no key is shown. */
export function sayDeclaredLate(of: Declared, logger: Logger): void {
  sayDeclared(of, logger);
  for (const { label, keys } of of.declared.made) {
    logger.info({ workspace: label }, 'created the workspace of the configuration file');
    for (const { id } of keys) {
      const mend = `Make another that is shown: ringfence key create -w ${label}; then: ringfence key promote, and ringfence key revoke ${id} -w ${label}`;
      logger.warn(
        { workspace: label, key: id, mend },
        'its license key was generated after the start, and is not shown',
      );
    }
  }
}
