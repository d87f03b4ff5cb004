import { minuteMs } from '@ringfence/contract';

/** Characters of a token: the content's limit, a third longer as base64url, with its header. */
export const tokenLengthMax = 49_152;
/** Bytes of the content, the same limit as in the SDK. */
export const contentBytesMax = 32_768;
/** Time to read a login page, type a password and wait for a code. An older token was stored by someone. */
export const tokenAgeMsMax = 15 * minuteMs;
/** Clocks of devices that are ahead. A smaller difference is a fact that rules may use. */
export const tokenAheadMsMax = 5 * minuteMs;
/** Characters of one text among the facts: the longest that the SDK itself sends. */
export const factLengthMax = 512;
