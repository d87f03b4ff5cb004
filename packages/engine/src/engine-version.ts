import { zoneTableHash, zoneTableVersion } from '@ringfence/policy';

/** Changes with every change of the code that can alter a decision or a snapshot. */
const codeVersion = '20';

/** The table of time zones decides too: which edition of the IANA database, and exactly which table. */
const zones = `zones-${zoneTableVersion}-${zoneTableHash.slice(0, 12)}`;

/**
 * Names the way decisions are made, code and data. When it has changed, the host appends an `engine` record, and
 * replay names the range that another version decided.
 */
export const engineVersion = `${codeVersion}+${zones}`;
