import { minuteMs } from '@ringfence/contract';

/** Characters of a token: the content's limit, a third longer as base64url, with its header. */
export const tokenLengthMax = 49_152;
/** Bytes of the content, as the SDK keeps to them. */
export const contentBytesMax = 32_768;
/** A person reads a login page, types a password, waits for a code. What is older was kept by somebody. */
export const tokenAgeMsMax = 15 * minuteMs;
/** Clocks of devices that go ahead. The rest is a fact that rules may weigh. */
export const tokenAheadMsMax = 5 * minuteMs;
/** Characters of one text among the facts: what the SDK itself gives at most. */
export const factLengthMax = 512;
