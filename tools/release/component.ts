/** One piece of software or data of a release that others made. */
export interface Component {
  readonly kind: 'library' | 'application' | 'platform' | 'data';
  readonly name: string;
  /** `undefined` for data that state none. */
  readonly version: string | undefined;
  /** SPDX, or in words what SPDX has no name for. */
  readonly licence: string;
  /** What it must be given on with: licences and notices. Empty if it came without any. */
  readonly texts: readonly string[];
  readonly purl: string;
  /** Where vulnerability databases list it under another name than its purl. */
  readonly cpe?: string;
  /** SHA-512 of the package that npm checked, in base64. */
  readonly sha512?: string;
  /** Its binaries in the bundle. */
  readonly files?: readonly { readonly name: string; readonly sha256: string }[];
  /** purls of the components that it needs. */
  readonly needs?: readonly string[];
  /** Components inside it. */
  readonly parts?: readonly Component[];
  /** A sentence for people. */
  readonly note?: string;
}
