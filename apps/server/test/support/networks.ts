import { type NetworkData, shippedTable } from '@ringfence/intel';

/** The network data of an installation without data files. */
export const shippedNetworks: NetworkData = { world: shippedTable(), databases: [], lists: {} };
