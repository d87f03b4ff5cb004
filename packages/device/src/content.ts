import type { Profile } from './catalogue.ts';
import type { Place } from './device/device-id.ts';
import type { AbsentReason, Json } from './signal.ts';

/** The id that this browser stores, and the proof that it was not copied. */
export interface DeviceClaim {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Stores that contained the id before this token was made. Empty: the id is new. */
  readonly found: readonly Place[];
  /** A compact JWS over id, nonce, iat and origin by the device's own key. Absent if the browser can't store keys. */
  readonly proof?: string;
}

/**
 * The content of a token: one JSON object. docs/guides/device-token.md and docs/reference/device-content.schema.json
 * describe it for authors of other SDKs.
 */
export interface Content {
  /** Version of this format. It increases with a change that an older reader would misread. */
  readonly format: 1;
  /** Seconds since 1970, by the clock of the device. */
  readonly iat: number;
  /** 16 random bytes, base64url: a token can be used once. */
  readonly nonce: string;
  /** The page's origin; for an app `android:` or `ios:` and its id. */
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
