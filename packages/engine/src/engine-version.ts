import { zoneTableHash, zoneTableVersion } from '@ringfence/policy';

/** Raise it with every change of the code that can alter a decision or a snapshot. */
const codeVersion = '23';

/** The time zone table affects decisions too: the edition of the IANA database, and the hash of the table. */
const zones = `zones-${zoneTableVersion}-${zoneTableHash.slice(0, 12)}`;

/**
 * Identifies how decisions are made: code and data. When it changes, the host appends an `engine` record, and replay
 * names the range that another version decided.
 */
export const engineVersion = `${codeVersion}+${zones}`;
