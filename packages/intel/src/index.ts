export { deviceFacts, type TokenSetting } from './device-facts.ts';
export {
  type DeviceKey,
  makeDeviceKey,
  openDeviceKey,
  type PrivateDeviceJwk,
  type PublicDeviceJwk,
} from './device-key.ts';
export { tokenAgeMsMax, tokenAheadMsMax } from './limits.ts';
