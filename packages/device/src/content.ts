import type { Profile } from './catalogue.ts';
import type { Place } from './device/device-id.ts';
import type { AbsentReason, Json } from './signal.ts';

/** The id that this browser keeps, and the proof that it has not been copied. */
export interface DeviceClaim {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Places that had the id before this token was made. Empty: the id is new. */
  readonly found: readonly Place[];
  /** A compact JWS over id, nonce, iat and origin by the device's own key. Absent where the browser keeps no keys. */
  readonly proof?: string;
}

/**
 * What is inside a token: one JSON object. docs/guides/device-token.md and docs/reference/device-content.schema.json
 * tell it to the makers of other SDKs.
 */
export interface Content {
  /** Of this format. A change that an older reader would misread is another number. */
  readonly format: 1;
  /** Seconds since 1970, by the clock of the device. */
  readonly iat: number;
  /** 16 random bytes, base64url: a token is good once. */
  readonly nonce: string;
  /** The page's origin; of an app `android:` or `ios:` and its id. */
  readonly origin: string;
  /** Name and version of the SDK. */
  readonly sdk: string;
  readonly channelId: number;
  readonly profile: Profile;
  /** From the call to the encryption. */
  readonly tookMs: number;
  readonly device: DeviceClaim | { readonly absent: AbsentReason | 'off' };
  readonly signals: Readonly<Record<string, Json>>;
  readonly absent: Readonly<Record<string, AbsentReason>>;
}
