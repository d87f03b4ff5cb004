export { deviceFacts, type TokenSetting } from './device-facts.ts';
export {
  type DeviceKey,
  makeDeviceKey,
  openDeviceKey,
  type PrivateDeviceJwk,
  type PublicDeviceJwk,
} from './device-key.ts';
export { tokenAgeMsMax, tokenAheadMsMax } from './limits.ts';
export { mismatchFacts } from './mismatch-facts.ts';
export { type AddressList, readAddressList } from './network/address-list.ts';
export { isMmdb, MmdbFile } from './network/mmdb-file.ts';
export type { NetworkData } from './network/network-data.ts';
export { networkFacts } from './network/network-facts.ts';
export { type NetworkKind, networkKinds } from './network/operator-kinds.ts';
export { shippedTable } from './network/shipped-table.ts';
export type { WorldTable } from './network/world-table.ts';
