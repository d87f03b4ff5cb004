import { parseArgs } from 'node:util';

export interface ReleaseOptions {
  /** Folder for the artefacts; `undefined`: `dist/ringfence-VERSION`. */
  readonly into: string | undefined;
  /** File of the Ed25519 private key; `undefined`: the release is not signed. */
  readonly signingKey: string | undefined;
  /** Allows changes that are not committed: for a trial. */
  readonly uncommitted: boolean;
}

export const help = `npm run release [-- options]

Builds the artefacts of a release into one folder: the npm packages, the bundle that installs without a registry (for
this machine's platform), its bill of materials, its licences, SHA-256 checksums, and their signature. The same commit
gives the same bytes.

  --into FOLDER         a new or empty folder (default: dist/ringfence-VERSION)
  --signing-key FILE    Ed25519 private key, PEM: signs the checksums
  --uncommitted         build although the checkout has changes: for a trial
  --help                this text

Examples
  npm run release
  npm run release -- --signing-key /run/secrets/release.pem
`;

/** The options, `help`, or an error message. */
export function readCommandLine(args: readonly string[]): ReleaseOptions | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        into: { type: 'string' },
        'signing-key': { type: 'string' },
        uncommitted: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
    if (values.help) return 'help';
    return { into: values.into, signingKey: values['signing-key'], uncommitted: values.uncommitted };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
