import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, NumberText } from '@ringfence/contract';

/**
 * The content of a device token, as docs/reference/device-content.schema.json describes it: unverified claims of its
 * maker. Signals are not checked here: a signal of the wrong type is ignored where it is read.
 */
export interface DeviceContent {
  /** Milliseconds since 1970, by the clock of the device. */
  readonly issuedAtMs: number;
  readonly nonce: string;
  readonly origin: string;
  readonly sdk: string;
  readonly channelId: number;
  /** `undefined`: the device stores no id. */
  readonly device: DeviceClaim | undefined;
  readonly signals: JsonObject;
}

export interface DeviceClaim {
  readonly id: string;
  /** The device had the id before this token was made. */
  readonly found: boolean;
  readonly proof: string | undefined;
}

const secondsMax = 99_999_999_999;
const textLengthMax = 512;
const signalsMax = 128;
const placesMax = 8;
const placeLengthMax = 64;
const proofLengthMax = 2_048;

const random16 = /^[A-Za-z0-9_-]{22}$/;
const sdkForm = /^[a-z0-9-]{1,32}\/[0-9A-Za-z.+-]{1,32}$/;
const proofForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$/;
const absentReasons = new Set<JsonValue>(['unsupported', 'blocked', 'timeout', 'failed', 'tooLarge']);

/** The content of a token, or `undefined` if it is invalid. Ignores unknown members. */
export function readContent(value: JsonValue): DeviceContent | undefined {
  if (!isJsonObject(value) || wholeNumber(value.format) !== 1 || !isProfile(value.profile)) return undefined;
  const { nonce, origin, sdk, signals } = value;
  const issuedAt = seconds(value.iat);
  const channelId = wholeNumber(value.channelId);
  const device = readDevice(value.device);
  if (!matches(nonce, random16) || !matches(sdk, sdkForm) || !isText(origin, textLengthMax)) return undefined;
  if (issuedAt === undefined || channelId === undefined || device === 'wrong') return undefined;
  if (!isMap(signals) || !isMap(value.absent) || (wholeNumber(value.tookMs) ?? -1) < 0) return undefined;
  if (!Object.values(value.absent).every((reason) => absentReasons.has(reason))) return undefined;
  return { issuedAtMs: issuedAt * 1_000, nonce, origin, sdk, channelId, device, signals };
}

/** Exactly one of two shapes. */
function readDevice(value: JsonValue | undefined): DeviceClaim | undefined | 'wrong' {
  if (!isJsonObject(value)) return 'wrong';
  const claim = readClaim(value);
  const isAbsent = value.absent !== undefined && (value.absent === 'off' || absentReasons.has(value.absent));
  return (claim !== undefined) === isAbsent ? 'wrong' : claim;
}

function readClaim({ id, createdAt, found, proof }: JsonObject): DeviceClaim | undefined {
  if (!matches(id, random16) || seconds(createdAt) === undefined) return undefined;
  if (found === undefined || !isJsonArray(found) || found.length > placesMax) return undefined;
  if (!found.every((place) => isText(place, placeLengthMax))) return undefined;
  if (proof !== undefined && !(isText(proof, proofLengthMax) && matches(proof, proofForm))) return undefined;
  return { id, found: found.length > 0, proof };
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length <= signalsMax;
}

function isProfile(value: JsonValue | undefined): boolean {
  return value === 'essential' || value === 'full';
}

function isText(value: JsonValue | undefined, lengthMax: number): value is string {
  return typeof value === 'string' && value.length <= lengthMax;
}

function matches(value: JsonValue | undefined, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function seconds(value: JsonValue | undefined): number | undefined {
  const whole = wholeNumber(value);
  return whole !== undefined && whole >= 0 && whole <= secondsMax ? whole : undefined;
}

/** A whole number in any notation: languages other than JavaScript also print `2.0`. */
export function wholeNumber(value: JsonValue | undefined): number | undefined {
  const number = value instanceof NumberText ? Number(value.text) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
