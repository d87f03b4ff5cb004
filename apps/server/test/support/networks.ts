import { type NetworkData, shippedTable } from '@ringfence/intel';

/** What an installation has that was given no file. */
export const shippedNetworks: NetworkData = { world: shippedTable(), databases: [], lists: {} };
