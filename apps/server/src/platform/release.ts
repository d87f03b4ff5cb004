import packageJson from '../../package.json' with { type: 'json' };

/** The release of this program, as in package.json. */
export const release: string = packageJson.version;
