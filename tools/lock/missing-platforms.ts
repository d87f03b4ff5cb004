/** The relevant members of one installed package in package-lock.json. */
export interface LockedPackage {
  readonly version?: string;
  /** The package's hash, which npm verifies. */
  readonly integrity?: string;
  readonly license?: string;
  /** Another workspace of this repository. */
  readonly link?: boolean;
  /** Its folder, if it is a link. */
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** package-lock.json: packages by their folder, the root under "". */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Optional dependencies without an entry, by the folder in which they would be installed. */
export function missingPlatforms(lock: Lock): Readonly<Record<string, LockedPackage>> {
  const missing = Object.entries(lock.packages).flatMap(([folder, { optionalDependencies, dev }]) =>
    Object.entries(optionalDependencies ?? {})
      .filter(
        ([name]) => !(`node_modules/${name}` in lock.packages) && !(`${folder}/node_modules/${name}` in lock.packages),
      )
      .map(([name, version]) => [`node_modules/${name}`, entry(name, version, dev === true)] as const),
  );
  return Object.fromEntries(missing);
}

/** The lock file with an entry for each of them, in npm's order. */
export function completed(lock: Lock): Lock {
  const packages = Object.entries({ ...lock.packages, ...missingPlatforms(lock) });
  return { ...lock, packages: Object.fromEntries(packages.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

const cpus: ReadonlySet<string> = new Set(['arm', 'arm64', 'ia32', 'x64', 'ppc64', 'riscv64', 's390x']);

/**
 * The platform in the name: `binding-linux-arm64-musl`, `darwin-x64`, `wasm32-wasi`.
 * @throws Error if there is none
 */
function entry(name: string, version: string, dev: boolean): LockedPackage {
  if (name.endsWith('wasm32-wasi')) return { version, cpu: ['wasm32'], ...(dev ? { dev } : {}), optional: true };
  const [, os = '', cpu = '', abi = ''] =
    /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)-?(\w*)$/.exec(name) ?? [];
  if (!cpus.has(cpu)) throw new Error(`${name} does not say for which platform it is`);
  const libc = os !== 'linux' ? [] : abi.startsWith('musl') ? ['musl'] : abi.startsWith('gnu') ? ['glibc'] : [];
  // In npm's order; otherwise npm would change the file at the next install.
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(libc.length === 0 ? {} : { libc }),
    optional: true,
    os: [os],
  };
}
